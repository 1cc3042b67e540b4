import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { failAnswer } from "./fail-answer.ts";
import { quoteForShell, showName } from "./json-fault.ts";
import type { JsonScanner } from "./json-scan.ts";
import type { KeyedPlace, KeyedRecords } from "./keyed-records.ts";
import type { MemberTally } from "./member-tally.ts";

/** More names than this do not help anyone. */
const MAX_CANDIDATES = 20;
const OTHER_EXPORT = "export the rows as objects, or as CSV";
const OBJECT_HINT = "--format ndjson, if the whole object is one row";

/** The kind of an array by its first element: an object, no element, an array, or something that is not a row. */
export type ArrayKind = "rows" | "empty" | "lists" | "other";

/** The arrays found in an object, by the names that lead to them, and the decision which of them holds the rows. */
export class JsonCandidates {
  private readonly scanner: JsonScanner;
  private readonly found: Record<ArrayKind, string[]> = { rows: [], empty: [], lists: [], other: [] };
  private readonly deeper: string[] = [];
  private readonly tally: MemberTally;
  private readonly keyed: KeyedRecords;

  constructor(scanner: JsonScanner, tally: MemberTally, keyed: KeyedRecords) {
    this.scanner = scanner;
    this.tally = tally;
    this.keyed = keyed;
  }

  /** Notes an array. True for the first one that holds rows and is a member of the top level itself. */
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
   * Where the rows are, now that everything is read. Throws if that is uncertain: an empty array next to one that holds
   * objects counts too, because tomorrow it may be the other way round, and so does a member next to an array that
   * could be the record. Also throws if the object is the answer of a service that failed, or if it holds records under
   * their ids.
   */
  settle(): "in an array" | "the object itself" {
    const { rows, empty, lists } = this.found;
    const { tally } = this;
    const { recordMember, isAnswer, isOnlyWords } = tally;
    const other = [...lists, ...this.found.other];
    const arrays = [...rows, ...empty, ...other];
    const hasRecords = [...rows, ...this.deeper].some((name) => !tally.isAboutFailure(name));
    const isFailures = arrays.length > 0 && !hasRecords && arrays.every((name) => tally.isFailures(name));
    const { place } = this.keyed;
    if (place !== undefined && rows.length === 0 && !tally.hasFailed) throw this.failKeyed(place);
    const isCut = tally.failure !== undefined && rows.length > 0;
    if (tally.hasFailed || isCut || isFailures || (isOnlyWords && !hasRecords)) throw this.failAnswer();
    if (lists[0] !== undefined && rows.length === 0 && !tally.hasDeclared) throw this.failLists(lists[0]);
    if (recordMember !== undefined && arrays.length > 0) throw this.failRecord(recordMember, arrays);
    if (isAnswer && arrays.length === 0 && this.deeper.length === 0) throw this.failAnswer();
    if (rows.length > 0 && rows.length + empty.length > 1)
      throw this.fail([...rows, ...empty], "several arrays");
    if (rows.length > 0) return "in an array";
    if (this.deeper.length > 0) {
      // `{"order":{"cle":"A","lines":[...]}}`: the order is rather the record than each of its lines.
      const whole = tally.names.length === 1 && tally.recordObject !== undefined ? [tally.recordObject] : [];
      throw this.fail([...whole, ...empty, ...this.deeper], "its rows deeper inside");
    }
    if (empty.length > 0) return "in an array";
    if (other.length === 0) return "the object itself";
    throw inputError(
      { file: this.scanner.window.file },
      "json-not-records",
      `no member is an array of objects: ${other.map(showName).join(", ")} begins with another value`,
      { hint: OBJECT_HINT },
    );
  }

  /** The array may be a member of the record, and the record may be what is to be sent. */
  private failRecord(member: string, arrays: readonly string[]): RecPushError {
    const { rows, empty } = this.found;
    const { file } = this.scanner.window;
    const list = arrays.map(showName).join(", ");
    const message = `the object may be one record, with ${showName(member)} in it, or only hold the records in ${list}`;
    const drop = arrays.map((name) => `--drop ${quoteForShell(name)}`).join(" ");
    const path = [...rows, ...empty].map((name) => `--json-path ${quoteForShell(name)}`);
    const asRecord = `--format ndjson ${drop} sends the object as one record`;
    const hint =
      path.length === 0 ? asRecord : `${path.join(" or ")} sends the records in the array; or ${asRecord}`;
    return inputError({ file }, "json-record-or-wrapper", message, { hint });
  }

  /** Google Sheets gives the cells of each row without names. Read as one record, they would be lost in it. */
  private failLists(name: string): RecPushError {
    const { file } = this.scanner.window;
    const message = `the rows in ${showName(name)} are lists of cells without names, which are not read`;
    return inputError({ file }, "json-not-records", message, { hint: `${OTHER_EXPORT}; ${OBJECT_HINT}` });
  }

  /** Read as one record, they would be lost in it. */
  private failKeyed({ path, ids }: KeyedPlace): RecPushError {
    const { file } = this.scanner.window;
    const where = path.length === 0 ? "" : ` in ${showName(path.join("."))}`;
    const message = `it looks like records under their ids (${ids.map(showName).join(", ")}${where}), which is not read`;
    const list = 'export or convert it as a list of records, [{"cle":"C1"},{"cle":"C2"}]';
    const hint = this.keyed.hasOwnValue ? `${list}; ${OBJECT_HINT}` : list;
    return inputError({ file }, "json-not-records", message, { hint });
  }

  /** "Nothing to send" would be wrong here: the export has to be made again. */
  private failAnswer(): RecPushError {
    const { rows, empty } = this.found;
    const { tally } = this;
    const places = [...rows, ...empty, ...tally.objects].filter((name) => !tally.isAboutFailure(name));
    return failAnswer(this.scanner.window.file, tally, places);
  }

  private fail(names: readonly string[], what: string): RecPushError {
    const { file } = this.scanner.window;
    const message = `the object holds ${what}, and it is not certain which holds the rows: ${names.map(showName).join(", ")}`;
    const options = names.map((name) => `--json-path ${quoteForShell(name)}`).join(" or ");
    return inputError({ file }, "json-several-arrays", message, { hint: `${options}; ${OBJECT_HINT}` });
  }
}

/** The error for a member that holds rows and occurs twice. */
export function failTwice(scanner: JsonScanner, name: string): RecPushError {
  return inputError(
    scanner.window.linePlace,
    "json-member-twice",
    `the member ${showName(name)} is given twice; keep one of the two`,
  );
}
