import { type Cell, JsonNumber, NestedValue, type RowProblem } from "../../src/model/rows.ts";

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The members of an object. */
type Members = readonly (readonly [name: string, value: unknown])[];

/** Rows of JSON with the names of their members. */
export interface JsonTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly problems: readonly RowProblem[];
}

/**
 * The first fault in the rows of a JSON text, if any: they must be the elements of one of its lists, without those that are
 * problems. `member` is the name of the member that holds the rows, if it is given (`--json-path`).
 */
export function judgeJson(
  text: string,
  format: "json" | "ndjson",
  table: JsonTable,
  member?: string,
): string | undefined {
  let lists: readonly (readonly unknown[])[];
  try {
    const values = format === "ndjson" ? splitValues(text).map(parseExactly) : [parseExactly(text)];
    lists = format === "ndjson" ? [values] : values.flatMap(findLists);
    if (member !== undefined) lists = [values.flatMap((value) => rowsAt(value, member))];
  } catch (error) {
    return `broken JSON is read: ${String(error)}`;
  }
  const written = table.rows.map((cells) => membersOf(table.columns, cells));
  const faults = lists.map((list) => compareList(list, written, table.problems.length));
  return faults.includes(undefined)
    ? undefined
    : (faults[0] ?? "there is no list that the rows could come from");
}

function compareList(
  list: readonly unknown[],
  rows: readonly Members[],
  problems: number,
): string | undefined {
  if (rows.length + problems !== list.length)
    return `${rows.length} rows and ${problems} problems of ${list.length} elements`;
  let at = 0;
  for (const row of rows) {
    while (at < list.length && !isRow(list[at], row)) at += 1;
    if (at === list.length) return `no element is the row ${JSON.stringify(row)}`;
    at += 1;
  }
  return undefined;
}

/** True if an element is a row; an empty object or array holds nothing, so that the row has null for it, or no cell. */
function isRow(element: unknown, row: Members): boolean {
  if (typeof element !== "object" || element === null || Array.isArray(element)) return false;
  const empties = new Set(
    Object.keys(element).filter((name) => isEmpty((element as Record<string, unknown>)[name])),
  );
  const own = Object.entries(element).flatMap(([name, value]) =>
    empties.has(name) ? [] : [[name, flatten(value)] as const],
  );
  const given = row.filter(([name, value]) => value !== null || !empties.has(name));
  return JSON.stringify(sorted(own)) === JSON.stringify(sorted(given));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Numbers become `{"#": source}`, because JavaScript would round them. */
function parseExactly(text: string): unknown {
  return JSON.parse(
    text.replaceAll(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `{"#":"${token}"}`)),
  );
}

function findLists(value: unknown): readonly (readonly unknown[])[] {
  if (Array.isArray(value)) return [value];
  const lists: (readonly unknown[])[] = [];
  const visit = (inner: unknown): void => {
    if (typeof inner !== "object" || inner === null) return;
    if (Array.isArray(inner)) return void lists.push(inner);
    // --json-path also leads to a single record.
    lists.push([inner]);
    for (const member of Object.values(inner)) visit(member);
  };
  visit(value);
  return lists.length > 0 ? lists : [[value]];
}

/** The rows in a member of an object: the elements of its array, or the object in it. */
function rowsAt(value: unknown, member: string): readonly unknown[] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, member))
    throw new Error(`${JSON.stringify(value)} has no ${member}`);
  const inner = (value as Record<string, unknown>)[member];
  return Array.isArray(inner) ? inner : [inner];
}

function sorted(members: Members): Members {
  return members.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function flatten(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return "an array";
  const source = (value as Record<string, unknown>)["#"];
  return Object.keys(value).length === 1 && typeof source === "string" && source !== ""
    ? { source }
    : "an object";
}

function membersOf(columns: readonly string[], cells: readonly Cell[]): Members {
  return cells.flatMap((cell, at) => {
    if (cell === undefined) return [];
    let value: unknown = cell;
    if (cell instanceof JsonNumber) value = { source: cell.source };
    if (cell instanceof NestedValue) value = cell.what === "array" ? "an array" : "an object";
    return [[columns[at] ?? "", value] as const];
  });
}

/** The values at the top level of the text. */
function splitValues(text: string): readonly string[] {
  const values: string[] = [];
  let depth = 0;
  let start = -1;
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]|[^\s[\]{}"]+/g);
  for (const { 0: token, index } of tokens) {
    if (depth === 0) start = index;
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    if (depth === 0) values.push(text.slice(start, index + token.length));
  }
  return values;
}
