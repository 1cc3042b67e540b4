import { RecPushError } from "../../model/failure.ts";
import { isMarkerColumn } from "../../model/marker-columns.ts";
import { MemberTally } from "./fail-answer.ts";
import { MAX_EXPLORED_DEPTH } from "./json-explorer.ts";
import { JsonWindow } from "./json-fault.ts";
import { type JsonListener, type JsonScalar, JsonScanner, scalarText } from "./json-scan.ts";
import { KeyedRecords } from "./keyed-records.ts";
import { MemberJudge } from "./member-judge.ts";

/** An array that is empty or holds any values; `$` matches a sample that is too short to decide. */
const ARRAY_BEGINS = /^[\t\n\r ]*\[[\t\n\r ]*(?:$|[\]{["]|-?\d|true|false|null)/;
/** An object that is empty, or that begins with a name and a colon. */
const OBJECT_BEGINS = /^[\t\n\r ]*\{[\t\n\r ]*(?:$|\}|"(?:[^"\\]|\\.)*(?:\\?$|"[\t\n\r ]*(?:$|:)))/;
const BEGINNING_BYTES = 4096;

/** What is known about the first value of a text, and the kind of content that follows it. */
class Impression implements JsonListener {
  isEmpty = true;
  hasArray = false;
  hasScalarFirst = false;
  /** Whether one of its arrays holds rows that are arrays, as Google Sheets writes them. */
  hasLists = false;
  /** Whether an array or object in it, at any depth that is explored, may hold the records of a file of one object. */
  mayHoldRecords = false;
  firstLine = 1;
  /** `undefined` as long as the first value is incomplete. */
  lastLine: number | undefined;
  /** Whether {@link next} is on the same line. */
  hasTail = false;
  next: "nothing" | "object" | "something" = "nothing";
  readonly tally: MemberTally;
  private readonly keyed: KeyedRecords;
  private readonly scanner: JsonScanner;
  private readonly dropped: ReadonlySet<string>;
  private isObject = false;
  /** The names that lead to the current value, by depth. */
  private readonly path: string[] = [];
  /** Depth of the array whose first element is still to come, else 0. */
  private arrayDepth = 0;

  constructor(scanner: JsonScanner, judge: MemberJudge, dropped: readonly string[]) {
    this.scanner = scanner;
    this.tally = new MemberTally(judge);
    this.keyed = new KeyedRecords(judge);
    this.dropped = new Set(dropped);
    scanner.captureDepth = 1;
  }

  open(isObject: boolean): void {
    const { depth, window } = this.scanner;
    if (this.lastLine !== undefined) {
      this.meetNext(isObject ? "object" : "something");
    } else if (depth === 1) {
      this.firstLine = window.line;
      this.isObject = isObject;
      this.keyed.open(1, isObject, undefined);
    } else {
      this.isEmpty = false;
      if (this.arrayDepth > 0) this.meetFirstElement(isObject ? "object" : "array");
      else if (this.isObject) this.openMember(isObject);
    }
  }

  close(): boolean {
    const { depth } = this.scanner;
    if (this.lastLine !== undefined) return false;
    // Tomorrow it may be filled.
    if (this.arrayDepth === 2) this.noteArray();
    this.arrayDepth = 0;
    if (depth === 0) this.lastLine = this.scanner.window.line;
    if (this.isObject) this.scanner.captureDepth = depth;
    this.keyed.close(depth + 1, this.path.slice(0, depth));
    const { place } = this.keyed;
    if (depth === 0 && place !== undefined && !this.isDropped(place.path)) this.mayHoldRecords = true;
    return false;
  }

  name(): void {
    const { depth, token } = this.scanner;
    if (this.lastLine !== undefined) return;
    const name = token.text();
    this.path[depth - 1] = name;
    this.keyed.name(depth, name);
    if (depth === 1) this.tally.name(name);
  }

  scalar(type: JsonScalar): void {
    if (this.lastLine !== undefined) {
      this.meetNext("something");
      return;
    }
    if (this.isEmpty) this.hasScalarFirst = true;
    this.isEmpty = false;
    if (this.arrayDepth > 0) this.meetFirstElement("scalar");
    else if (this.scanner.depth === 1 && this.isObject) {
      this.tally.value(scalarText(this.scanner.token, type));
      this.keyed.value(this.path[0]!);
    }
  }

  checkSize(): void {}

  private openMember(isObject: boolean): void {
    const { depth } = this.scanner;
    this.keyed.open(depth, isObject, this.path[depth - 2]);
    if (depth === 2 && isObject) this.tally.object();
    if (depth === 2 && !isObject) this.hasArray = true;
    if (depth > MAX_EXPLORED_DEPTH) return;
    this.scanner.captureDepth = depth;
    if (!isObject) this.arrayDepth = depth;
  }

  private meetFirstElement(kind: "object" | "array" | "scalar"): void {
    if (this.arrayDepth === 2) this.tally.filledArray();
    if (kind === "object") this.noteArray();
    if (kind === "array" && this.arrayDepth === 2 && !this.isDropped(this.path.slice(0, 1)))
      this.hasLists = true;
    this.scanner.captureDepth = this.arrayDepth - 1;
    this.arrayDepth = 0;
  }

  private noteArray(): void {
    if (!this.isDropped(this.path.slice(0, this.arrayDepth - 1))) this.mayHoldRecords = true;
  }

  private isDropped(names: readonly string[]): boolean {
    return names.some((_, at) =>
      ["_", "."].some((sign) => this.dropped.has(names.slice(0, at + 1).join(sign))),
    );
  }

  /** Notes what follows the first value; only the first call counts. */
  meetNext(what: "object" | "something"): void {
    if (this.lastLine === undefined || this.next !== "nothing") return;
    this.next = what;
    this.hasTail = this.lastLine === this.scanner.window.line;
  }
}

function look(sample: Buffer, judge = new MemberJudge(), dropped: readonly string[] = []): Impression {
  const window = new JsonWindow("");
  const scanner = new JsonScanner(window, true);
  const impression = new Impression(scanner, judge, dropped);
  scanner.listener = impression;
  scanner.feed(sample);
  window.ended = true;
  try {
    scanner.scan();
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    // Broken, or just cut off: what was seen so far has to be enough, and reading it will report what is wrong.
    impression.meetNext("something");
  }
  return impression;
}

/**
 * Recognises JSON by its beginning (UTF-8 without BOM, cut anywhere, up to 1 MiB); `undefined` for what cannot be JSON
 * rows, such as a CSV. `ndjson` is one object after another, or a single one on one line that could be a record, as it
 * would be if a second one followed; `json` is an array, or one object that takes several lines or may hold the records
 * in a member that is not `dropped`. Broken JSON still counts as JSON if its beginning cannot be anything else.
 */
export function detectJson(
  sample: Buffer,
  judge?: MemberJudge,
  dropped?: readonly string[],
): "json" | "ndjson" | undefined {
  const beginning = sample.toString("latin1", 0, BEGINNING_BYTES);
  if (ARRAY_BEGINS.test(beginning)) {
    const { hasScalarFirst, next } = look(sample);
    // `[1],[2]` may be the header of a CSV; an array of objects with something after it is broken JSON.
    return hasScalarFirst && next !== "nothing" ? undefined : "json";
  }
  if (!OBJECT_BEGINS.test(beginning)) return undefined;
  const impression = look(sample, judge, dropped);
  const { isEmpty, hasArray, hasTail, firstLine, lastLine, next, tally } = impression;
  if (next === "object") return "ndjson";
  if (next === "something" && isEmpty) return undefined;
  if (lastLine !== firstLine || hasTail) return "json";
  // Services answer on one line: as over several, the records in it must not be taken for a part of one record.
  const isAlone = next === "nothing" && !isMarkerColumn(tally.names[0] ?? "");
  const mayHoldRecords = impression.mayHoldRecords || (impression.hasLists && !tally.hasDeclared);
  if (isAlone && mayHoldRecords) return "json";
  // `{"response":{"data":[...]}}`: a record has more members than one.
  const isMereWrapper = tally.isAnswer || (hasArray && tally.names.length === 1);
  if (isMereWrapper) return "json";
  return tally.recordMember !== undefined || !hasArray ? "ndjson" : "json";
}
