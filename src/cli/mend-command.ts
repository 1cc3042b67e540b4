import type { FieldOptions } from "../fields/field-options.ts";
import { typeOfField } from "../fields/columns/column-plan.ts";
import { quoteWord } from "../fields/shell-word.ts";
import { isDateFormat, spellType } from "../fields/type-text.ts";
import type { SurveyReport } from "../model/event.ts";
import type { RejectsFile } from "../model/run-end.ts";
import { decimalOf } from "./config/pinned-section.ts";
import type { RawOptions } from "./program.ts";
import { textOf, textsOf } from "./raw-options.ts";

/** How a push was called: options of the command line alone, and with the config behind them. */
export interface Called {
  readonly line: RawOptions;
  readonly merged: RawOptions;
  readonly fields: FieldOptions;
}

/** Settled anew for the rejects file, or about the first push only. */
const REPLACED: ReadonlySet<string> = new Set([
  "format",
  "encoding",
  "delimiter",
  "quote",
  "escape",
  "headerLine",
  "header",
  "skipFooter",
  "jsonPath",
  "type",
  "survey",
  "onInvalid",
  "maxInvalid",
  "rejects",
  "results",
  "json",
  "quiet",
  "verbose",
  "progress",
  "again",
  "resumeFirst",
  "staleOk",
  "waitLock",
  "inDoubt",
  "tokenEnv",
]);

/** What may hold a secret, and is never printed. */
const PRIVATE: ReadonlySet<string> = new Set(["httpHeader", "query"]);

/** The command that pushes a mended rejects file: the options of the push, and all that it settled pinned. */
export function mendCommand({ path, survey }: Pick<RejectsFile, "path" | "survey">, called: Called): string {
  const words = ["rec-push", path.startsWith("-") ? `./${path}` : path, ...repeatedWords(called.line)];
  words.push(...readingWords(survey, called.merged), ...formatWords(survey, called));
  return words.map(quoteWord).join(" ");
}

/** The flags that have to be given again by hand, because their values are secret. */
export function privateFlags(line: RawOptions): readonly string[] {
  const url = textOf(line, "url");
  return [
    textsOf(line, "httpHeader").length > 0 ? ["-H"] : [],
    textsOf(line, "query").length > 0 ? ["--query"] : [],
    url !== undefined && hasUser(url) ? ["--url"] : [],
  ].flat();
}

function repeatedWords(line: RawOptions): string[] {
  return Object.entries(line).flatMap(([name, value]) => {
    if (REPLACED.has(name) || PRIVATE.has(name) || value === undefined) return [];
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (value === false) return [`--no-${flag}`];
    if (value === true) return [`--${flag}`];
    if (name === "url" && hasUser(String(value))) return [];
    return textsOf(line, name).flatMap((text) => optionWords(flag, text));
  });
}

// A value that begins with a dash would be taken for an option.
function optionWords(flag: string, value: string): string[] {
  return value.startsWith("-") || value === "" ? [`--${flag}=${value}`] : [`--${flag}`, value];
}

function hasUser(url: string): boolean {
  return /^[a-z]+:\/\/[^/]*@/i.test(url);
}

function readingWords({ reading }: SurveyReport, merged: RawOptions): string[] {
  const { encoding, dialect, format } = reading;
  const isUtf8 = encoding === "utf-8" && textOf(merged, "encoding") === undefined;
  const words = isUtf8 ? [] : ["--encoding", encoding];
  if (dialect === undefined || format !== "csv") return ["--format", "ndjson", ...words];
  const { delimiter, quote, escape, headerLine, dataLine } = dialect;
  words.push(...optionWords("delimiter", delimiter === "\t" ? "tab" : delimiter));
  words.push("--quote", quote === "" ? "none" : quote);
  if (quote !== "") words.push("--escape", escape === "\\" ? "backslash" : escape);
  words.push("--header-line", String(headerLine ?? dataLine));
  if (textOf(merged, "format") !== undefined) words.push("--format", "csv");
  if (Number(textOf(merged, "skipFooter") ?? 0) > 0) words.push("--skip-footer", "0");
  return words;
}

/** Formats that the values settled; those that options or config name hold as they are. */
function formatWords(survey: SurveyReport, { line, merged, fields }: Called): string[] {
  const pinned = survey.columns.flatMap(({ field, format }) => {
    if (field === undefined || !isDateFormat(format) || fields.pins.dateFormat !== undefined) return [];
    const type = typeOfField(field, fields);
    const isOpen = type.kind === "date" && type.format === undefined;
    return isOpen ? [[field, spellType({ ...type, format })] as const] : [];
  });
  const settled = new Set(pinned.map(([field]) => field));
  const given = textsOf(line, "type").filter((text) => !settled.has(text.slice(0, text.indexOf("=")).trim()));
  const decimal = textOf(merged, "decimal") === undefined ? decimalOf(survey.columns) : undefined;
  return [
    ...[...given, ...pinned.map(([field, type]) => `${field}=${type}`)].flatMap((text) => ["--type", text]),
    ...(decimal === undefined ? [] : ["--decimal", decimal]),
  ];
}
