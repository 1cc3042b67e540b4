import { normaliseName } from "../../fields/columns/column-names.ts";
import type { RawOptions } from "../program.ts";
import { textsOf } from "../raw-options.ts";

/** Options of the command line before those of the configs. `configured` names what the configs alone say. */
export function mergeOptions(configs: RawOptions, line: RawOptions): RawOptions {
  // Without --no-header commander says `true`, which nobody wrote.
  const written = line["header"] === false ? line : { ...line, header: undefined };
  return {
    ...mergeSections(configs, written),
    configured: Object.keys(configs).filter((name) => line[name] === undefined),
  };
}

/**
 * Options that count more before those that count less. What is named one by one is merged by name; columns to drop and
 * empty cells add up, so that nothing is sent because an option was added.
 */
export function mergeSections(less: RawOptions, more: RawOptions): RawOptions {
  const merged: Record<string, RawOptions[string]> = { ...less, ...more };
  if (more["header"] === undefined)
    merged["header"] = more["headerLine"] === undefined ? less["header"] : undefined;
  if (more["header"] === false && more["headerLine"] === undefined) merged["headerLine"] = undefined;
  if (more["onInvalid"] === "stop" && more["maxInvalid"] === undefined) merged["maxInvalid"] = undefined;
  for (const [name, nameOf] of NAMED) {
    merged[name] = mergeNamed(textsOf(less, name), textsOf(more, name), nameOf);
  }
  merged["map"] = mergeMap(less, more);
  const mapped = new Set(textsOf(more, "map").map(columnOf));
  const drops = textsOf(less, "drop").filter((column) => !mapped.has(normaliseName(column)));
  merged["drop"] = [...drops, ...textsOf(more, "drop")];
  merged["null"] = [...textsOf(less, "null"), ...textsOf(more, "null")];
  return merged;
}

const beforeEquals = (text: string): string => text.slice(0, text.indexOf("=")).trim();
const NAMED: readonly (readonly [string, (text: string) => string])[] = [
  ["set", beforeEquals],
  ["query", beforeEquals],
  ["httpHeader", (text) => text.slice(0, text.indexOf(":")).trim().toLowerCase()],
];

function mergeNamed(
  less: readonly string[],
  more: readonly string[],
  nameOf: (text: string) => string,
): readonly string[] {
  const named = new Set(more.map(nameOf));
  return [...less.filter((text) => !named.has(nameOf(text))), ...more];
}

/** A rule gives way where the options that count more say something else of its column or its field. */
function mergeMap(less: RawOptions, more: RawOptions): readonly string[] {
  const rules = textsOf(more, "map");
  const columns = new Set(rules.map(columnOf));
  const fields = new Set(rules.map(fieldOf));
  for (const dropped of textsOf(more, "drop").flatMap((text) => text.split(/(?<!\\),/)))
    columns.add(normaliseName(dropped));
  const kept = textsOf(less, "map").filter(
    (rule) => !columns.has(columnOf(rule)) && !fields.has(fieldOf(rule)),
  );
  return [...kept, ...rules];
}

function columnOf(rule: string): string {
  return normaliseName(rule.slice(0, Math.max(rule.lastIndexOf("="), 0)));
}

function fieldOf(rule: string): string {
  return rule.slice(rule.lastIndexOf("=") + 1).trim();
}
