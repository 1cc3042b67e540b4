import { inputError } from "../input-error.ts";
import { JsonText, showName } from "./json-text.ts";

/** One member of a JSON object: its name without escapes, and both sides as source. */
interface JsonMember {
  readonly name: string;
  readonly source: string;
}

/** In valid JSON: a string, with the colon behind it if it is a name; a bracket or a comma. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g;

/** Splits the text of one valid JSON object into its members, in order; line ends between tokens are left out. */
export function splitMembers(object: string): JsonMember[] {
  // A line end is never inside a JSON string (RFC 8259 section 7), so line ends and indentation can be removed.
  const text = object.trim().replaceAll(/[\r\n]+[ \t]*/g, "");
  const members: JsonMember[] = [];
  let name = "";
  let depth = 0;
  let start = 1;
  for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && colon !== undefined) name = JSON.parse(string!) as string;
    if (depth > 1 || (depth === 1 && token !== ",")) continue;
    const source = text.slice(start, index).trim();
    if (source !== "") members.push({ name, source });
    start = index + 1;
  }
  return members;
}

/**
 * Reads a whole JSON text into a value, as JSON.parse does. Throws an input error with line and column for broken JSON,
 * for containers nested too deeply, and for a name given twice in one object.
 */
export function readJsonValue(text: string, file: string): unknown {
  const source = text.replace(/^\uFEFF/, "");
  const json = new JsonText(file, Buffer.from(source));
  json.next();
  const end = json.endOfValue(json.at, "top");
  if (end === -1) json.checkFault();
  json.moveTo(end);
  if (json.next() !== -1) {
    json.fail(json.at, "end");
    json.checkFault();
  }
  refuseTwice(source, file);
  return JSON.parse(source);
}

function refuseTwice(source: string, file: string): void {
  const objects: Set<string>[] = [];
  for (const { 0: token, 1: string, 2: colon, index } of source.matchAll(TOKEN)) {
    if (token === "{") objects.push(new Set());
    if (token === "}") objects.pop();
    if (colon === undefined) continue;
    const name = JSON.parse(string!) as string;
    const names = objects.at(-1)!;
    if (names.has(name)) {
      const json = new JsonText(file, Buffer.from(source));
      json.moveTo(Buffer.byteLength(source.slice(0, index)));
      throw inputError(
        json.placeOf(json.at),
        "json-member-twice",
        `the key ${showName(name)} is given twice`,
      );
    }
    names.add(name);
  }
}
