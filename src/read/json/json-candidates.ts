import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { showName } from "./json-fault.ts";
import type { JsonScanner } from "./json-scan.ts";

/** More names than this help nobody. */
const MAX_CANDIDATES = 20;
const OBJECT_HINT = "--format ndjson, if the whole object is one row";

/** What an array begins with: an object, nothing at all, or something that is no row. */
export type ArrayKind = "rows" | "empty" | "other";

/** The arrays met in an object, by the names that lead to them, and the judgement which of them holds the rows. */
export class JsonCandidates {
  private readonly scanner: JsonScanner;
  private readonly found: Record<ArrayKind, string[]> = { rows: [], empty: [], other: [] };
  private readonly deeper: string[] = [];

  constructor(scanner: JsonScanner) {
    this.scanner = scanner;
  }

  /** Notes an array. True for the first that holds rows and is a member of the top level itself. */
  add(kind: ArrayKind, path: readonly string[]): boolean {
    if (path.length > 1) {
      if (kind === "rows" && this.deeper.length < MAX_CANDIDATES) this.deeper.push(path.join("."));
      return false;
    }
    const name = path[0]!;
    const { found } = this;
    if (found.rows.includes(name) || found.empty.includes(name)) throw failTwice(this.scanner, name);
    if (found[kind].length < MAX_CANDIDATES) found[kind].push(name);
    return kind === "rows" && found.rows.length === 1;
  }

  /**
   * Where the rows are, now that all is read. Throws where that is not certain: an empty array beside one that
   * holds objects counts too, since tomorrow it may be the other way round.
   */
  settle(): "in an array" | "the object itself" {
    const { rows, empty, other } = this.found;
    if (rows.length > 0 && rows.length + empty.length > 1)
      throw this.fail([...rows, ...empty], "several arrays");
    if (rows.length > 0) return "in an array";
    if (this.deeper.length > 0) throw this.fail([...empty, ...this.deeper], "its rows deeper inside");
    if (empty.length > 0) return "in an array";
    if (other.length === 0) return "the object itself";
    throw inputError(
      { file: this.scanner.window.file },
      "json-not-records",
      `no member is an array of objects: ${other.map(showName).join(", ")} begins with another value`,
      { hint: OBJECT_HINT },
    );
  }

  private fail(names: readonly string[], what: string): RecPushError {
    const { file } = this.scanner.window;
    const message = `the object holds ${what}, and which are the rows is not certain: ${names.map(showName).join(", ")}`;
    const options = names.map((name) => `--json-path ${quoteForShell(name)}`).join(" or ");
    return inputError({ file }, "json-several-arrays", message, { hint: `${options}; ${OBJECT_HINT}` });
  }
}

function quoteForShell(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The error for a member that holds rows and is given again. */
export function failTwice(scanner: JsonScanner, name: string): RecPushError {
  return inputError(
    scanner.window.linePlace,
    "json-member-twice",
    `the member ${showName(name)} is given twice; keep one of the two`,
  );
}
