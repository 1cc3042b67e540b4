import { RecPushError } from "../../model/failure.ts";
import { isMarkerColumn } from "../../model/marker-columns.ts";
import { JsonWindow } from "./json-fault.ts";
import { JsonPlaces } from "./json-places.ts";
import { type JsonListener, type JsonScalar, JsonScanner } from "./json-scan.ts";
import { MemberJudge } from "./member-judge.ts";

/** An array that is empty or holds any values; `$` matches a sample that is too short to decide. */
const ARRAY_BEGINS = /^[\t\n\r ]*\[[\t\n\r ]*(?:$|[\]{["]|-?\d|true|false|null)/;
/** An object that is empty, or that begins with a name and a colon. */
const OBJECT_BEGINS = /^[\t\n\r ]*\{[\t\n\r ]*(?:$|\}|"(?:[^"\\]|\\.)*(?:\\?$|"[\t\n\r ]*(?:$|:)))/;
const BEGINNING_BYTES = 4096;

/** The first value of a text, and what follows it. */
class FirstValue implements JsonListener {
  readonly #scanner: JsonScanner;
  readonly #places: JsonPlaces;
  #isObject = false;
  isEmpty = true;
  beginsWithScalar = false;
  /** `undefined` as long as the value is incomplete. */
  lastLine: number | undefined;
  /** Whether {@link next} is on the same line. */
  hasTail = false;
  next: "nothing" | "object" | "something" = "nothing";

  constructor(scanner: JsonScanner, places: JsonPlaces) {
    this.#scanner = scanner;
    this.#places = places;
    scanner.captureDepth = 1;
  }

  open(isObject: boolean): void {
    const { depth } = this.#scanner;
    if (this.lastLine !== undefined) return this.meetNext(isObject ? "object" : "something");
    if (depth === 1) this.#isObject = isObject;
    else this.isEmpty = false;
    if (this.#isObject) this.#places.open(isObject);
  }

  close(): boolean {
    if (this.lastLine !== undefined) return false;
    if (this.#isObject) this.#places.close();
    if (this.#scanner.depth === 0) this.lastLine = this.#scanner.window.line;
    return false;
  }

  name(): void {
    if (this.lastLine === undefined && this.#isObject) this.#places.name();
  }

  scalar(type: JsonScalar): void {
    if (this.lastLine !== undefined) return this.meetNext("something");
    if (this.isEmpty) this.beginsWithScalar = true;
    this.isEmpty = false;
    if (this.#isObject) this.#places.scalar(type);
  }

  checkSize(): void {}

  /** Notes what follows the first value; only the first call counts. */
  meetNext(what: "object" | "something"): void {
    if (this.lastLine === undefined || this.next !== "nothing") return;
    this.next = what;
    this.hasTail = this.lastLine === this.#scanner.window.line;
  }
}

/**
 * Recognises JSON by its beginning (UTF-8 without BOM, cut anywhere, up to 1 MiB); `undefined` for what cannot be JSON
 * rows, such as a CSV. `ndjson` is one object after another, or a single one that is a record, as it would be if a second
 * one followed; `json` is an array, or one object around the records. Broken JSON still counts as JSON if its beginning
 * cannot be anything else.
 */
export function detectJson(
  sample: Buffer,
  judge = new MemberJudge(),
  dropped: readonly string[] = [],
): "json" | "ndjson" | undefined {
  const beginning = sample.toString("latin1", 0, BEGINNING_BYTES);
  const isArray = ARRAY_BEGINS.test(beginning);
  if (!isArray && !OBJECT_BEGINS.test(beginning)) return undefined;
  const window = new JsonWindow("");
  const scanner = new JsonScanner(window, true);
  const places = new JsonPlaces(scanner, undefined, { judge, dropped, maxRowBytes: sample.length });
  const first = new FirstValue(scanner, places);
  scanner.listener = first;
  scanner.feed(sample);
  window.ended = true;
  try {
    scanner.scan();
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    // Broken, or just cut off: what was seen so far has to be enough, and reading it will report what is wrong.
    first.meetNext("something");
  }
  const { isEmpty, beginsWithScalar, hasTail, lastLine, next } = first;
  // `[1],[2]` may be the header of a CSV; an array of objects with something after it is broken JSON.
  if (isArray) return beginsWithScalar && next !== "nothing" ? undefined : "json";
  if (next === "object") return "ndjson";
  if (next === "something") return isEmpty ? undefined : hasTail ? "json" : "ndjson";
  if (lastLine === undefined) return "json";
  // Rejects are one record a line, whatever they hold.
  const areRejects = isMarkerColumn(places.members[0] ?? "");
  return places.areAsked && !areRejects ? "json" : "ndjson";
}
