import { createReadStream } from "node:fs";
import { RESULT_COLUMNS } from "./results-head.ts";

/**
 * The rows of other files in earlier results, in order: when the results of one run are brought up to date, these
 * rows are kept.
 */
export class OtherResults {
  /** The delimiter of a CSV. */
  readonly delimiter: string | undefined;
  readonly #rows: AsyncIterator<string>;
  #held: string | undefined;

  private constructor(rows: AsyncIterator<string>, delimiter: string | undefined) {
    this.#rows = rows;
    this.delimiter = delimiter;
  }

  static async open(path: string, format: "csv" | "ndjson"): Promise<OtherResults> {
    const rows = rowsOf(createReadStream(path, "utf8"), format === "csv");
    if (format === "ndjson") return new OtherResults(rows, undefined);
    const header = await rows.next();
    const [first, second] = RESULT_COLUMNS;
    const found = new RegExp(`^\ufeff?${first}(.+?)${second}`).exec(header.done === true ? "" : header.value);
    return new OtherResults(rows, found?.[1]);
  }

  /** The rows before those of a file, whose rows begin with `head`; all rows if the file has none. */
  async *before(head: string): AsyncGenerator<string> {
    for (;;) {
      const row = await this.#next();
      if (row === undefined) return;
      if (row.startsWith(head)) {
        this.#held = row;
        return;
      }
      yield row;
    }
  }

  /** The rows after those of a file. */
  async *after(head: string): AsyncGenerator<string> {
    for (let row = await this.#next(); row !== undefined; row = await this.#next())
      if (!row.startsWith(head)) yield row;
  }

  async #next(): Promise<string | undefined> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) return held;
    const { value, done } = await this.#rows.next();
    return done === true ? undefined : value;
  }
}

/** Rows with their line ends; a line end inside quotes does not end a CSV row. */
async function* rowsOf(text: AsyncIterable<string>, hasQuotes: boolean): AsyncGenerator<string> {
  let row = "";
  let isQuoted = false;
  for await (const piece of text) {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      if (hasQuotes && piece[at] === '"') isQuoted = !isQuoted;
      if (isQuoted || piece[at] !== "\n") continue;
      yield row + piece.slice(from, at + 1);
      row = "";
      from = at + 1;
    }
    row += piece.slice(from);
  }
  if (row !== "") yield row;
}
