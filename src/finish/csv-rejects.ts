import type { Dialect, Reading } from "../model/reading.ts";
import { countMarkers } from "../model/marker-columns.ts";
import type { ContentCursor } from "../read/text/content-cursor.ts";
import { CsvCells } from "../read/csv/csv-cells.ts";
import { toGrammar } from "../read/csv/csv-grammar.ts";
import { RowScan } from "../read/csv/scan-row.ts";
import { QUOTED } from "../model/row.ts";
import type { AddedCells, RejectsFormat } from "./rejects-format.ts";

/** The cells in front never take more, because the length of a reason is limited. */
const MOST_OWN_BYTES = 65_536;

/**
 * The rows of a CSV in its own dialect: the lines above the data unchanged, with columns before those of the header, then
 * each row unchanged after the cells of these. The rows of a rejects file lose such cells that they had.
 */
export class CsvRejects implements RejectsFormat {
  readonly #dialect: Dialect;
  readonly #columns: readonly string[];
  /** How many columns a rejects file put before the others. */
  readonly #own: number;
  #lineEnd = "\n";

  constructor({ dialect, columns }: Reading) {
    this.#dialect = dialect!;
    this.#columns = columns;
    this.#own = countMarkers(columns);
  }

  async head(cursor: ContentCursor, added: readonly string[]): Promise<Buffer> {
    const { headerLine, dataLine, delimiter } = this.#dialect;
    const above = await gather(cursor.lines(1, (headerLine ?? dataLine) - 1));
    const header =
      headerLine === undefined ? undefined : await gather(cursor.lines(headerLine, dataLine - 1));
    this.#lineEnd = lineEndOf(header ?? above) ?? this.#lineEnd;
    const names = header === undefined ? this.#columns.join(delimiter) : this.#withoutCells(header);
    const before = added.map((name) => `${name}${delimiter}`).join("");
    const text = Buffer.concat([Buffer.from(before), Buffer.from(names)]);
    return Buffer.concat([above, ended(text, this.#lineEnd)]);
  }

  async *row(text: AsyncIterable<Buffer>, added: AddedCells): AsyncGenerator<Buffer> {
    const cells = added.map((cell) => `${this.#cell(String(cell))}${this.#dialect.delimiter}`);
    yield Buffer.from(cells.join(""));
    let isEnded = false;
    for await (const piece of this.#own > 0 ? this.#withoutOwnCells(text) : text) {
      yield piece;
      isEnded = isLineEnd(piece.at(-1));
    }
    if (!isEnded) yield Buffer.from(this.#lineEnd);
  }

  async *#withoutOwnCells(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let held: Buffer | undefined = Buffer.alloc(0);
    for await (const piece of text) {
      if (held === undefined) {
        yield piece;
        continue;
      }
      held = Buffer.concat([held, piece]);
      if (held.length <= MOST_OWN_BYTES) continue;
      yield this.#withoutCells(held);
      held = undefined;
    }
    if (held !== undefined) yield this.#withoutCells(held);
  }

  /**
   * The text of a row without the cells that a rejects file put before it; the whole row if these cannot be found.
   */
  #withoutCells(row: Buffer): Buffer {
    const own = this.#own;
    if (own === 0) return row;
    const grammar = toGrammar(this.#dialect);
    const cells = new CsvCells(row, grammar);
    const scan = new RowScan(grammar, cells);
    scan.moveTo(cells, true);
    const result = scan.scan(0, row.length, 0);
    if (scan.width < own || (result === "row" && scan.width === own)) return row;
    const end = cells.ends[own - 1]! + (cells.marks[own - 1]! & QUOTED);
    return row.subarray(end + grammar.delimiter.length);
  }

  /** A reason is always quoted, because it has blanks: so a rejects file shows how its dialect quotes. */
  #cell(text: string): string {
    if (/^[\w-]*$/.test(text)) return text;
    const { quote, escape, delimiter } = this.#dialect;
    if (quote === "") return text.replaceAll(delimiter, " ").replaceAll(/[\r\n]+/g, " ");
    const escaped = escape === "\\" ? text.replaceAll("\\", "\\\\") : text;
    return `${quote}${escaped.replaceAll(quote, `${escape}${quote}`)}${quote}`;
  }
}

async function gather(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const held: Buffer[] = [];
  for await (const piece of pieces) held.push(piece);
  return Buffer.concat(held);
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d;
}

function lineEndOf(text: Buffer): string | undefined {
  return /(?:\r\n|\n|\r)$/.exec(text.toString("latin1", Math.max(0, text.length - 2)))?.[0];
}

function ended(text: Buffer, lineEnd: string): Buffer {
  return isLineEnd(text.at(-1)) ? text : Buffer.concat([text, Buffer.from(lineEnd)]);
}
