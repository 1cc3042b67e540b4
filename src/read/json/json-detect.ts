import { RecPushError } from "../../model/failure.ts";
import { isMarkerColumn } from "../../model/marker-columns.ts";
import type { JsonPlaces } from "./json-places.ts";
import type { MemberRules } from "./json-record.ts";
import { JsonWalk } from "./json-rows.ts";
import { JsonText } from "./json-text.ts";

/** An array that is empty or holds any values; `$` matches a sample that is too short to decide. */
const ARRAY_BEGINS = /^[\t\n\r ]*\[[\t\n\r ]*(?:$|[\]{["]|-?\d|true|false|null)/;
/** One whose first value is no array and no object. */
const SCALAR_BEGINS = /^[\t\n\r ]*\[[\t\n\r ]*[^\]{[\t\n\r ]/;
/** An object that is empty, or that begins with a name and a colon. */
const OBJECT_BEGINS = /^[\t\n\r ]*\{[\t\n\r ]*(?:$|\}|"(?:[^"\\]|\\.)*(?:\\?$|"[\t\n\r ]*(?:$|:)))/;
const BEGINNING_BYTES = 4096;

type KnownMembers = Pick<MemberRules, "declared" | "dropped">;

/**
 * Recognises JSON by its beginning (UTF-8 without BOM, cut anywhere, up to 1 MiB); `undefined` for what cannot be JSON
 * rows, such as a CSV. `ndjson` is one object after another, or a single one that is a record, as it would be if a second
 * one followed; `json` is an array, or one object around the records. Broken JSON still counts as JSON if its beginning
 * cannot be anything else.
 */
export function detectJson(sample: Buffer, options: KnownMembers = {}): "json" | "ndjson" | undefined {
  const beginning = sample.toString("latin1", 0, BEGINNING_BYTES);
  const text = new JsonText("", sample);
  if (ARRAY_BEGINS.test(beginning)) {
    // `["a"],["b"]` may be the header of a CSV; an array of objects with something after it is broken JSON.
    if (!SCALAR_BEGINS.test(beginning)) return "json";
    text.next();
    const end = text.endOfValue(text.at, "top");
    return end !== -1 && /\S/.test(sample.toString("latin1", end)) ? undefined : "json";
  }
  if (!OBJECT_BEGINS.test(beginning)) return undefined;
  const places = findPlaces(text, options);
  // Broken, or just cut off: reading it will report what is wrong.
  if (places === undefined) return "json";
  const [, between = "", next] = /^([\t\n\r ]*)(.)?/s.exec(sample.toString("latin1", text.at))!;
  if (next === "{") return "ndjson";
  const isEmpty = places.members.length === 0;
  if (next !== undefined) return isEmpty ? undefined : /[\r\n]/.test(between) ? "ndjson" : "json";
  // Rejects are one record a line, whatever they hold.
  const areRejects = isMarkerColumn(places.members[0] ?? "");
  return places.areAsked && !areRejects ? "json" : "ndjson";
}

function findPlaces(text: JsonText, options: KnownMembers): JsonPlaces | undefined {
  try {
    return new JsonWalk(text, { ...options, maxRowBytes: Infinity }).look();
  } catch (error) {
    if (error instanceof RecPushError) return undefined;
    throw error;
  }
}
