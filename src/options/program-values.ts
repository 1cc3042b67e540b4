import { RecPushError } from "../model/failure.ts";
import type { OptionText } from "../model/option-texts.ts";
import type { Form, Items } from "./declaration.ts";
import { flagOf, type OptionName, TABLE, type TableEntry, useIn } from "./table.ts";

/** The commands that a program calls. */
export type ProgramCommand = "push" | "check";

/** They are about a terminal, or are said otherwise: `check` is a function of its own. */
const OF_TERMINAL: ReadonlySet<OptionName> = new Set(["json", "quiet", "verbose"]);

/** The options of the table that a program may give. */
export function programOptions(command: ProgramCommand): readonly TableEntry[] {
  return TABLE.filter(
    ({ name, declaration }) => !OF_TERMINAL.has(name) && useIn(command, declaration) !== undefined,
  );
}

/** The types of the options of programs, with their help. */
export function programTypes(): string {
  return `import type { OwnOptions } from "./api.js";\n${typeOf("push", "PushOptions")}\n${typeOf("check", "CheckOptions")}`;
}

function typeOf(command: ProgramCommand, name: string): string {
  const members = programOptions(command).map((entry) => memberOf(entry, command));
  return `/** The options of a ${command}. Where a comment shows \`name=value\` or \`Name: value\`, the option is an object with that member. */
export interface ${name} extends OwnOptions {
${members.join("\n")}
}
`;
}

function memberOf({ name, declaration }: TableEntry, command: ProgramCommand): string {
  const help = useIn(command, declaration) ?? "";
  const { form } = declaration;
  const about = form.kind === "negated" ? `false: ${help}` : help;
  return `  /** ${about.replaceAll("*/", "*\\/")} (\`${flagOf(name, declaration)}\`) */\n  readonly ${name}?: ${typeOfForm(form)} | undefined;`;
}

function typeOfForm(form: Form<unknown>): string {
  switch (form.kind) {
    case "flag":
    case "negated":
      return "boolean";
    case "texts":
      return form.items.kind === "pairs" ? "Readonly<Record<string, string>>" : "readonly string[]";
    case "text":
      if (form.values !== undefined) return form.values.map((value) => JSON.stringify(value)).join(" | ");
      return takesNumber(form) ? "string | number" : "string";
  }
}

/** True for an option with one value whose parser makes more of digits than a text. */
export function takesNumber(form: Form<unknown>): boolean {
  if (form.kind !== "text") return false;
  try {
    return typeof form.parse("20", "") !== "string";
  } catch {
    return false;
  }
}

/**
 * A value of a program or of a config as the text that a command line has for it. Throws usage for a value of another
 * kind, and for one whose text would be read as another value; `place` names it. No value is shown, as it may be secret.
 */
export function spellValue(value: unknown, form: Form<unknown>, place: string): OptionText {
  switch (form.kind) {
    case "flag":
    case "negated":
      if (typeof value === "boolean") return value;
      throw badValue(place, "true or false", value);
    case "text":
      if (!takesNumber(form)) return oneText(value, place);
      if (typeof value === "string") return value;
      if (typeof value === "number" && Number.isFinite(value)) return String(value);
      throw badValue(place, "a text or a number", value);
    case "texts":
      return textsOf(value, form.items, place);
  }
}

/** A number is refused: 1.50 and long numbers lose digits before we see them. */
function oneText(value: unknown, place: string): string {
  if (typeof value === "string") return value;
  throw badValue(place, "a text", value);
}

function textsOf(value: unknown, items: Items, place: string): readonly string[] {
  switch (items.kind) {
    case "texts":
      return listOf(value, place);
    case "list":
      // The option separates them by commas.
      return listOf(value, place).map((item) => item.replaceAll(",", "\\,"));
    case "pairs":
      return pairsOf(value, place).map(([name, of]) => spellPair(name, oneText(of, place), items, place));
  }
}

function listOf(value: unknown, place: string): readonly string[] {
  if (Array.isArray(value)) return value.map((item: unknown) => oneText(item, place));
  throw badValue(place, "a list of texts", value);
}

function pairsOf(value: unknown, place: string): readonly (readonly [string, unknown])[] {
  const isObject = typeof value === "object" && value !== null;
  if (isObject && !Array.isArray(value) && !(value instanceof Map))
    return Object.entries(value).filter(([, of]) => of !== undefined);
  throw badValue(place, "an object", value);
}

/** Throws usage for a pair that would be read as another one. */
function spellPair(
  name: string,
  value: string,
  { sign, split }: Extract<Items, { kind: "pairs" }>,
  place: string,
): string {
  const separator = sign.trim();
  if (split === "first" && name.includes(separator)) throw wrongPair(place, `names without ${separator}`);
  if (split === "last" && value.includes(separator)) throw wrongPair(place, `values without ${separator}`);
  const text = `${name}${sign}${value}`;
  // In headers, a text that begins with @ names a file.
  if (separator === ":" && text.startsWith("@")) throw wrongPair(place, "names of headers");
  return text;
}

function wrongPair(place: string, expected: string): RecPushError {
  return new RecPushError("bad-option-value", `${place}: expected ${expected}`);
}

/** The error for a value of another kind. */
function badValue(place: string, expected: string, value: unknown): RecPushError {
  return wrongPair(place, `${expected}, not ${nameType(value)}`);
}

/** What a value is, without showing it. */
export function nameType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return "a text";
  return typeof value === "number" ? "a number" : "an object";
}
