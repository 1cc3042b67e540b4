import { RecPushError } from "../../model/failure.ts";
import { isMarkerColumn } from "../../model/marker-columns.ts";
import { JsonWindow } from "./json-fault.ts";
import { JsonPlaces } from "./json-places.ts";
import { JsonScanner } from "./json-scan.ts";
import { MemberJudge } from "./member-judge.ts";

/** An array that is empty or holds any values; `$` matches a sample that is too short to decide. */
const ARRAY_BEGINS = /^[\t\n\r ]*\[[\t\n\r ]*(?:$|[\]{["]|-?\d|true|false|null)/;
/** One whose first value is no array and no object. */
const SCALAR_BEGINS = /^[\t\n\r ]*\[[\t\n\r ]*[^\]{[\t\n\r ]/;
/** An object that is empty, or that begins with a name and a colon. */
const OBJECT_BEGINS = /^[\t\n\r ]*\{[\t\n\r ]*(?:$|\}|"(?:[^"\\]|\\.)*(?:\\?$|"[\t\n\r ]*(?:$|:)))/;
const BEGINNING_BYTES = 4096;

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
  const { end, places } = scanFirst(sample, judge, dropped);
  const [, between = "", next] = /^([\t\n\r ]*)(.)?/s.exec(sample.toString("latin1", end))!;
  // Broken, or just cut off: what was seen so far has to be enough, and reading it will report what is wrong.
  const hasEnded = end > 0;
  // `["a"],["b"]` may be the header of a CSV; an array of objects with something after it is broken JSON.
  if (isArray) return SCALAR_BEGINS.test(beginning) && hasEnded && next !== undefined ? undefined : "json";
  if (!hasEnded) return "json";
  if (next === "{") return "ndjson";
  const isEmpty = places.members.length === 0;
  if (next !== undefined) return isEmpty ? undefined : /[\r\n]/.test(between) ? "ndjson" : "json";
  // Rejects are one record a line, whatever they hold.
  const areRejects = isMarkerColumn(places.members[0] ?? "");
  return places.areAsked && !areRejects ? "json" : "ndjson";
}

/** Scans the first value; `end` is 0 if it is broken or cut off. */
function scanFirst(
  sample: Buffer,
  judge: MemberJudge,
  dropped: readonly string[],
): { readonly end: number; readonly places: JsonPlaces } {
  const scanner = new JsonScanner(new JsonWindow(""), true);
  const places = new JsonPlaces(scanner, undefined, { judge, dropped });
  scanner.listener = places;
  scanner.captureDepth = 1;
  scanner.feed(sample);
  scanner.window.ended = true;
  try {
    while (scanner.scan() && scanner.depth > 0);
    return { end: scanner.offset, places };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    return { end: 0, places };
  }
}
