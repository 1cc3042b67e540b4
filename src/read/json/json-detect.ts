import { RecPushError } from "../../model/failure.ts";
import { scalarText, type JsonListener, type JsonScalar } from "./json-listener.ts";
import { JsonScanner } from "./json-scan.ts";
import { MemberJudge } from "./member-judge.ts";
import { MemberTally } from "./member-tally.ts";
import { JsonWindow } from "./json-window.ts";

/** An array that is empty or holds any values; `$` matches a sample that is too short to decide. */
const ARRAY_BEGINS = /^[\t\n\r ]*\[[\t\n\r ]*(?:$|[\]{["]|-?\d|true|false|null)/;
/** An object that is empty, or that begins with a name and a colon. */
const OBJECT_BEGINS = /^[\t\n\r ]*\{[\t\n\r ]*(?:$|\}|"(?:[^"\\]|\\.)*(?:\\?$|"[\t\n\r ]*(?:$|:)))/;
const EMPTY_ARRAY = /^[\t\n\r ]*\]/;
const BEGINNING_BYTES = 4096;

/** What is known about the first value of a text, and the kind of content that follows it. */
class Impression implements JsonListener {
  isEmpty = true;
  hasArray = false;
  hasScalarFirst = false;
  firstLine = 1;
  /** `undefined` as long as the first value is incomplete. */
  lastLine: number | undefined;
  /** Whether {@link next} is on the same line. */
  hasTail = false;
  next: "nothing" | "object" | "something" = "nothing";
  readonly tally: MemberTally;
  private readonly scanner: JsonScanner;

  constructor(scanner: JsonScanner, judge: MemberJudge) {
    this.scanner = scanner;
    this.tally = new MemberTally(judge);
    scanner.captureDepth = 1;
  }

  open(isObject: boolean): void {
    const { depth, window } = this.scanner;
    if (this.lastLine !== undefined) {
      this.meetNext(isObject ? "object" : "something");
    } else if (depth === 1) {
      this.firstLine = window.line;
    } else {
      this.isEmpty = false;
      if (isObject) this.tally.object();
      else this.meetArray();
    }
  }

  private meetArray(): void {
    this.hasArray = true;
    const { window, offset } = this.scanner;
    if (!EMPTY_ARRAY.test(window.bytes.toString("latin1", offset - window.base))) this.tally.filledArray();
  }

  close(): boolean {
    if (this.scanner.depth === 0) this.lastLine ??= this.scanner.window.line;
    return false;
  }

  name(): void {
    if (this.lastLine === undefined) this.tally.name(this.scanner.token.text());
  }

  scalar(type: JsonScalar): void {
    if (this.lastLine !== undefined) this.meetNext("something");
    else if (this.isEmpty) this.hasScalarFirst = true;
    if (this.lastLine === undefined) this.tally.value(scalarText(this.scanner.token, type));
    this.isEmpty = false;
  }

  checkSize(): void {}

  /** Notes what follows the first value; only the first call counts. */
  meetNext(what: "object" | "something"): void {
    if (this.lastLine === undefined || this.next !== "nothing") return;
    this.next = what;
    this.hasTail = this.lastLine === this.scanner.window.line;
  }
}

function look(sample: Buffer, judge = new MemberJudge()): Impression {
  const window = new JsonWindow("");
  const scanner = new JsonScanner(window, true);
  const impression = new Impression(scanner, judge);
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
 * would be if a second one followed; `json` is an array, or one object that takes several lines or is only a wrapper.
 * Broken JSON still counts as JSON if its beginning cannot be anything else.
 */
export function detectJson(sample: Buffer, judge?: MemberJudge): "json" | "ndjson" | undefined {
  const beginning = sample.toString("latin1", 0, BEGINNING_BYTES);
  if (ARRAY_BEGINS.test(beginning)) {
    const { hasScalarFirst, next } = look(sample);
    // `[1],[2]` may be the header of a CSV; an array of objects with something after it is broken JSON.
    return hasScalarFirst && next !== "nothing" ? undefined : "json";
  }
  if (!OBJECT_BEGINS.test(beginning)) return undefined;
  const { isEmpty, hasArray, hasTail, firstLine, lastLine, next, tally } = look(sample, judge);
  if (next === "object") return "ndjson";
  if (next === "something" && isEmpty) return undefined;
  if (lastLine !== firstLine || hasTail) return "json";
  // `{"response":{"data":[...]}}`: a record has more members than one.
  const isMereWrapper = tally.isAnswer || (hasArray && tally.names.length === 1);
  if (isMereWrapper) return "json";
  return tally.recordMember !== undefined || !hasArray ? "ndjson" : "json";
}
