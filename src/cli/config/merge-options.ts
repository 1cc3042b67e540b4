import { normaliseName } from "../../fields/column-names.ts";
import type { RawOptions } from "../program.ts";
import { textsOf } from "../raw-options.ts";

/**
 * Options of the command line before those of the config. What is named one by one is merged by name; columns to drop
 * and empty cells add up, so that nothing is sent because an option was added. `configured` names what the config alone says.
 */
export function mergeOptions(config: RawOptions, line: RawOptions): RawOptions {
  const merged: Record<string, RawOptions[string]> = { ...config, ...line };
  // Without --no-header commander says `true`, which nobody wrote.
  if (line["header"] !== false)
    merged["header"] = line["headerLine"] === undefined ? config["header"] : undefined;
  if (line["header"] === false && line["headerLine"] === undefined) merged["headerLine"] = undefined;
  for (const [name, nameOf] of NAMED) {
    merged[name] = mergeNamed(textsOf(config, name), textsOf(line, name), nameOf);
  }
  merged["map"] = mergeMap(config, line);
  const mapped = new Set(textsOf(line, "map").map(columnOf));
  const drops = textsOf(config, "drop").filter((column) => !mapped.has(normaliseName(column)));
  merged["drop"] = [...drops, ...textsOf(line, "drop")];
  merged["null"] = [...textsOf(config, "null"), ...textsOf(line, "null")];
  merged["configured"] = Object.keys(config).filter((name) => line[name] === undefined);
  return merged;
}

const beforeEquals = (text: string): string => text.slice(0, text.indexOf("=")).trim();
const NAMED: readonly (readonly [string, (text: string) => string])[] = [
  ["set", beforeEquals],
  ["query", beforeEquals],
  ["httpHeader", (text) => text.slice(0, text.indexOf(":")).trim().toLowerCase()],
];

function mergeNamed(
  config: readonly string[],
  line: readonly string[],
  nameOf: (text: string) => string,
): readonly string[] {
  const named = new Set(line.map(nameOf));
  return [...config.filter((text) => !named.has(nameOf(text))), ...line];
}

/** A rule of the config gives way where the command line says something else of its column or its field. */
function mergeMap(config: RawOptions, line: RawOptions): readonly string[] {
  const rules = textsOf(line, "map");
  const columns = new Set(rules.map(columnOf));
  const fields = new Set(rules.map(fieldOf));
  for (const dropped of textsOf(line, "drop").flatMap((text) => text.split(/(?<!\\),/)))
    columns.add(normaliseName(dropped));
  const kept = textsOf(config, "map").filter(
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
