import { hasKey, type SandboxRecord } from "./store.ts";

/** A parsed request body. */
export interface ParsedBatch {
  /** The records before the first bad one; all of them if `problem` is undefined. */
  readonly records: readonly SandboxRecord[];
  /** The fault of the body, in one sentence that names the record (counted from 1). */
  readonly problem: string | undefined;
  /** The member `database_version` of a body with `data`. */
  readonly databaseVersion: unknown;
}

/** Reads `[{...}]` or `{"data":[{...}]}`: flat objects whose values are all strings. Never throws. */
export function parseBatch(text: string): ParsedBatch {
  if (isNestedDeeply(text)) return refused(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return refused(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (Array.isArray(body)) return checkRecords(body, undefined);
  if (!isObject(body)) return refused(`The body is ${nameOf(body)}; it must be an array of records.`);
  if (!Object.hasOwn(body, "data")) {
    return refused('The body is an object without "data"; send an array of records, or {"data":[...]}.');
  }
  const data = body["data"];
  if (!Array.isArray(data)) return refused(`"data" is ${nameOf(data)}; it must be an array of records.`);
  return checkRecords(data, body["database_version"]);
}

/** Deeper than any record, and far below what slows a parser down. */
const MAX_DEPTH = 100;

function isNestedDeeply(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gs)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** `create` if at least one record has no `cle`; undefined for a batch without records. */
export function kindOf(records: readonly SandboxRecord[]): "create" | "update" | undefined {
  if (records.length === 0) return undefined;
  return records.every(hasKey) ? "update" : "create";
}

function refused(problem: string): ParsedBatch {
  return { records: [], problem, databaseVersion: undefined };
}

function checkRecords(data: readonly unknown[], databaseVersion: unknown): ParsedBatch {
  for (let index = 0; index < data.length; index += 1) {
    const problem = problemOf(data[index]);
    if (problem !== undefined) {
      const records = data.slice(0, index) as SandboxRecord[];
      return { records, problem: `Record ${index + 1}${problem}`, databaseVersion };
    }
  }
  return { records: data as SandboxRecord[], problem: undefined, databaseVersion };
}

function problemOf(record: unknown): string | undefined {
  if (!isObject(record)) return ` is ${nameOf(record)}; every record must be an object.`;
  for (const field of Object.keys(record)) {
    const value = record[field];
    if (typeof value !== "string") {
      return `, field ${JSON.stringify(field.slice(0, 80))}: the value is ${nameOf(value)}; every value must be a string.`;
    }
  }
  if (record["cle"] === "") return ": cle is empty; leave it out to create a fiche.";
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
