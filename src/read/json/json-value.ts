import { inputError } from "../input-error.ts";
import { childrenOf } from "./json-members.ts";
import { JsonText, showName } from "./json-text.ts";

/**
 * Reads a whole JSON text into a value, as JSON.parse does. Throws an input error with line and column for broken JSON,
 * for containers nested too deeply, and for a name given twice in one object.
 */
export function readJsonValue(text: string, file: string): unknown {
  const source = text.replace(/^\uFEFF/, "");
  const json = new JsonText(file, Buffer.from(source));
  json.next();
  const start = json.at;
  const end = json.endOfValue(start, "top");
  if (end === -1) json.checkFault();
  json.moveTo(end);
  if (json.next() !== -1) {
    json.fail(json.at, "end");
    json.checkFault();
  }
  refuseTwice(new JsonText(file, json.bytes), start);
  return JSON.parse(source);
}

function refuseTwice(json: JsonText, from: number): void {
  const names = new Set<string>();
  for (const { name, start, value } of childrenOf(json, from)) {
    if (name !== undefined && names.has(name)) {
      json.moveTo(start);
      throw inputError(json.placeOf(start), "json-member-twice", `the key ${showName(name)} is given twice`);
    }
    if (name !== undefined) names.add(name);
    refuseTwice(json, value);
  }
}
