import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { failAnswer, MemberTally } from "./fail-answer.ts";
import { failTooLong, quoteForShell, showName } from "./json-fault.ts";
import type { JsonRowList } from "./json-row-stream.ts";
import { type JsonListener, type JsonScalar, type JsonScanner, scalarText } from "./json-scan.ts";
import { type KeyedPlace, KeyedRecords } from "./keyed-records.ts";
import type { MemberJudge } from "./member-judge.ts";

/** Arrays deeper than this are not offered as places of rows. */
export const MAX_EXPLORED_DEPTH = 8;

/**
 * Finds the rows of a file whose top level is an object: in the one array of objects among its members, or in the
 * object itself if no member is an array. The first such array is read at once; if there is another one, or a member
 * beside it that could be the record, that only shows later, and is thrown at the end of the object, when all of them
 * can be named.
 */
export class JsonExplorer implements JsonListener {
  private readonly scanner: JsonScanner;
  private readonly list: JsonRowList;
  private readonly maxRowBytes: number;
  private readonly candidates: JsonCandidates;
  private readonly tally: MemberTally;
  private readonly keyed: KeyedRecords;
  /** The names that lead to the current value, by depth. */
  private readonly path: string[] = [];
  /** Depth of the array whose first element is still to come, else 0. */
  private arrayDepth = 0;
  /** Whether the object itself may still be the only row. */
  private mayBeRow = true;
  private wasTooLong = false;
  private line = 0;

  constructor(scanner: JsonScanner, list: JsonRowList, maxRowBytes: number, judge: MemberJudge) {
    this.scanner = scanner;
    this.list = list;
    this.maxRowBytes = maxRowBytes;
    this.tally = new MemberTally(judge);
    this.keyed = new KeyedRecords(judge);
    this.candidates = new JsonCandidates(scanner, this.tally, this.keyed);
  }

  open(isObject: boolean): void {
    const { depth } = this.scanner;
    if (this.arrayDepth > 0) {
      this.meetFirstElement(isObject ? "rows" : "lists");
      return;
    }
    if (depth === 1) this.line = this.scanner.window.line;
    this.keyed.open(depth, isObject, this.path[depth - 2]);
    if (this.mayBeRow && this.list.takesAt(depth - 1)) this.list.open(isObject);
    if (depth === 2 && isObject) this.tally.object();
    if (depth > MAX_EXPLORED_DEPTH) return;
    this.scanner.captureDepth = depth;
    if (isObject) return;
    this.arrayDepth = depth;
    if (depth === 2) this.giveUpRow();
  }

  close(): boolean {
    const { depth } = this.scanner;
    if (this.arrayDepth > 0) this.candidates.add("empty", this.pathOfArray());
    this.arrayDepth = 0;
    this.scanner.captureDepth = depth;
    this.keyed.close(depth + 1, this.path.slice(0, depth));
    if (depth === 0) this.settle();
    else if (this.mayBeRow) this.list.closeMember();
    return false;
  }

  name(): void {
    const { depth } = this.scanner;
    const name = this.scanner.token.text();
    this.path[depth - 1] = name;
    this.keyed.name(depth, name);
    if (depth === 1) this.tally.name(name);
    if (depth === 2) this.tally.deeperName(name);
    if (this.mayBeRow && this.list.takesAt(depth)) this.list.name();
  }

  scalar(type: JsonScalar): void {
    const { depth } = this.scanner;
    if (this.arrayDepth > 0) {
      this.meetFirstElement("other");
      return;
    }
    if (depth === 1) {
      this.tally.value(scalarText(this.scanner.token, type));
      this.keyed.value(this.path[0]!);
    }
    if (depth >= 2) this.tally.deeperValue(this.path.slice(1, depth), scalarText(this.scanner.token, type));
    if (this.mayBeRow && this.list.takesAt(depth)) this.list.scalar(type);
  }

  checkSize(): void {
    const { scanner } = this;
    const isKeptTooLong = scanner.keptBytes > this.maxRowBytes;
    if (this.mayBeRow && (isKeptTooLong || this.list.isTooLong())) {
      this.wasTooLong = true;
      this.giveUpRow();
    }
    if (!isKeptTooLong) return;
    if (!scanner.isInStringValue) {
      throw failTooLong(scanner.place, "the name or number here", this.maxRowBytes);
    }
    scanner.token.letGo();
  }

  private giveUpRow(): void {
    if (this.mayBeRow) this.list.forget();
    this.mayBeRow = false;
  }

  private pathOfArray(): string[] {
    return this.path.slice(0, this.arrayDepth - 1);
  }

  private meetFirstElement(kind: ArrayKind): void {
    const { arrayDepth, scanner } = this;
    if (arrayDepth === 2) this.tally.filledArray();
    const isToRead = this.candidates.add(kind, this.pathOfArray());
    this.arrayDepth = 0;
    scanner.captureDepth = arrayDepth - 1;
    if (!isToRead) return;
    this.list.begin(arrayDepth, () => {
      scanner.listener = this;
      scanner.captureDepth = arrayDepth - 1;
    });
    this.list.open(true);
  }

  private settle(): void {
    if (this.candidates.settle() === "in an array") {
      this.list.noteNextPage(this.tally.nextPage, this.tally.counted);
      return;
    }
    const { file } = this.scanner.window;
    if (this.wasTooLong)
      throw failTooLong({ file, line: this.line }, "the one row of the file", this.maxRowBytes);
    this.list.close();
  }
}

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
