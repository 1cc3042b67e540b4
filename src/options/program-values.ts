import { RecPushError } from "../model/failure.ts";
import type { OptionText } from "../model/option-texts.ts";
import type { Declaration, Form, Items } from "./declaration.ts";
import { flagOf, type OptionName, TABLE, type TableEntry, useIn } from "./table.ts";

/** The commands that a program calls. */
export type ProgramCommand = "push" | "check";

/** They are about a terminal, or are said otherwise: `check` is a function of its own. */
const OF_TERMINAL: ReadonlySet<OptionName> = new Set(["json", "quiet", "verbose"]);

/** The options of the table that a program may give. */
export function programOptions(command: ProgramCommand): readonly TableEntry[] {
  return TABLE.filter(
    ({ name, declaration }) =>
      !OF_TERMINAL.has(name) &&
      declaration.form.kind !== "unwritten" &&
      useIn(command, declaration) !== undefined,
  );
}

/** The types of the options of programs, with their help. */
export function programTypes(): string {
  return `${typeOf("push", "PushOptions")}\n${typeOf("check", "CheckOptions")}`;
}

function typeOf(command: ProgramCommand, name: string): string {
  const members = programOptions(command).map((entry) => memberOf(entry, command));
  return `/** The options of a ${command}. Where a comment shows \`name=value\` or \`Name: value\`, the option is an object with that member. */
export interface ${name} {
${members.join("\n")}
}
`;
}

function memberOf({ name, declaration }: TableEntry, command: ProgramCommand): string {
  const help = useIn(command, declaration) ?? "";
  const { form } = declaration;
  const flag = flagOf(name, declaration);
  const about = form.kind === "negated" ? `false: ${help}` : help;
  return `  /** ${about.replaceAll("*/", "*\\/")} (\`${flag}\`) */\n  readonly ${name}?: ${typeOfForm(form, flag)} | undefined;`;
}

function typeOfForm(form: Form<unknown>, flag: string): string {
  switch (form.kind) {
    case "flag":
    case "negated":
      return "boolean";
    case "texts":
      return form.items.kind === "pairs" ? "Readonly<Record<string, string>>" : "readonly string[]";
    case "text":
    case "unwritten":
      if (form.values !== undefined) return form.values.map((value) => JSON.stringify(value)).join(" | ");
      return takesNumber(form, flag) ? "string | number" : "string";
  }
}

/** True if the parser makes more of digits than a text. */
function takesNumber(form: Extract<Form<unknown>, { kind: "text" | "unwritten" }>, flag: string): boolean {
  try {
    return typeof form.parse("20", flag) !== "string";
  } catch {
    return false;
  }
}

/**
 * A value of a program or of a config as the text that a command line has for it. Throws usage for a value of another
 * kind, and for one whose text would be read as another value; `place` names it. No value is shown, as it may be secret.
 */
export function spellValue(value: unknown, { form }: Declaration<unknown>, place: string): OptionText {
  switch (form.kind) {
    case "flag":
    case "negated":
      if (typeof value === "boolean") return value;
      throw badValue(place, "true or false");
    case "text":
      return oneText(value, place);
    case "unwritten":
      if (Array.isArray(value)) return escapeCommas(listOf(value, place));
      return typeof value === "boolean" ? value : oneText(value, place);
    case "texts":
      return textsOf(value, form.items, place);
  }
}

function oneText(value: unknown, place: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  throw badValue(place, "a text or a number");
}

function textsOf(value: unknown, items: Items, place: string): readonly string[] {
  switch (items.kind) {
    case "texts":
      return listOf(value, place);
    case "list":
      return escapeCommas(listOf(value, place));
    case "pairs":
      return pairsOf(value, place).map(([name, of]) => spellPair(name, oneText(of, place), items, place));
  }
}

function listOf(value: unknown, place: string): readonly string[] {
  if (Array.isArray(value)) return value.map((item: unknown) => oneText(item, place));
  throw badValue(place, "an array of texts");
}

/** The items of a list as texts of an option that separates them by commas. */
function escapeCommas(items: readonly string[]): readonly string[] {
  return items.map((item) => item.replaceAll(",", "\\,"));
}

function pairsOf(value: unknown, place: string): readonly (readonly [string, unknown])[] {
  const isObject = typeof value === "object" && value !== null;
  if (isObject && !Array.isArray(value) && !(value instanceof Map))
    return Object.entries(value).filter(([, of]) => of !== undefined);
  throw badValue(place, "an object of values by name");
}

/** Throws usage for a pair that would be read as another one. */
function spellPair(
  name: string,
  value: string,
  { sign, split }: Extract<Items, { kind: "pairs" }>,
  place: string,
): string {
  const separator = sign.trim();
  if (split === "first" && name.includes(separator)) throw badValue(place, `names without ${separator}`);
  if (split === "last" && value.includes(separator)) throw badValue(place, `values without ${separator}`);
  const text = `${name}${sign}${value}`;
  // Of headers that is the name of a file.
  if (separator === ":" && text.startsWith("@")) throw badValue(place, "names of headers");
  return text;
}

function badValue(place: string, expected: string): RecPushError {
  return new RecPushError("usage", "bad-option-value", `${place}: expected ${expected}`);
}
