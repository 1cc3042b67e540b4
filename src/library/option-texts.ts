import { nearestWord } from "../cli/nearest-word.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionText, OptionTexts } from "../model/option-texts.ts";
import { quoteText } from "../model/visible-text.ts";
import { escapeCommas } from "../options/config-key.ts";
import type { Form, Items } from "../options/declaration.ts";
import { type LibraryCommand, libraryOptions } from "./library-options.ts";

/** The options of a program as texts, as a command line has them. Throws usage; no value is shown, as it may be secret. */
export function optionTexts(command: LibraryCommand, given: object): OptionTexts {
  const known = libraryOptions(command);
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
      if (value === undefined) return [];
      const form = known.find((entry) => entry.name === name)?.declaration.form;
      if (form === undefined) throw unknownOption(command, name);
      const text = textOf(value, form, name);
      if (name === "records" && text === "-") throw badValue(name, "the path of a file");
      return [[name, text] as const];
    }),
  );
}

function textOf(value: unknown, form: Form<unknown>, name: string): OptionText {
  switch (form.kind) {
    case "flag":
    case "negated":
      if (typeof value === "boolean") return value;
      throw badValue(name, "true or false");
    case "text":
    case "unwritten":
      return oneText(value, name);
    case "texts":
      return textsOf(value, form.items, name);
  }
}

function oneText(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  throw badValue(name, "a text or a number");
}

function textsOf(value: unknown, items: Items, name: string): readonly string[] {
  switch (items.kind) {
    case "texts":
      return listOf(value, name);
    case "list":
      return escapeCommas(listOf(value, name));
    case "pairs":
      return pairsOf(value, name).map(([left, right]) => spellPair(left, oneText(right, name), items, name));
    case "lists":
      return pairsOf(value, name).map(([left, right]) => {
        const texts = listOf(right, name);
        // The comma after it would be taken for one that belongs to it.
        if (texts.slice(0, -1).some((text) => text.endsWith("\\")))
          throw badValue(name, "a value that ends with \\ as the last one");
        return spellPair(left, escapeCommas(texts).join(","), { sign: items.sign, split: "first" }, name);
      });
  }
}

/** Throws usage for a pair that would be read as another one. */
function spellPair(
  left: string,
  right: string,
  { sign, split }: { readonly sign: string; readonly split: "first" | "last" },
  name: string,
): string {
  const separator = sign.trim();
  if (split === "first" && left.includes(separator)) throw badValue(name, `names without ${separator}`);
  if (split === "last" && right.includes(separator)) throw badValue(name, `values without ${separator}`);
  const text = `${left}${sign}${right}`;
  // Of headers that is the name of a file.
  if (separator === ":" && text.startsWith("@")) throw badValue(name, "names of headers");
  return text;
}

function listOf(value: unknown, name: string): readonly string[] {
  if (Array.isArray(value)) return value.map((item: unknown) => oneText(item, name));
  throw badValue(name, "an array of texts");
}

function pairsOf(value: unknown, name: string): readonly (readonly [string, unknown])[] {
  const isObject = typeof value === "object" && value !== null;
  if (isObject && !Array.isArray(value) && !(value instanceof Map))
    return Object.entries(value).filter(([, of]) => of !== undefined);
  throw badValue(name, "an object of values by name");
}

function badValue(name: string, expected: string): RecPushError {
  return new RecPushError("usage", "bad-option-value", `option ${name}: expected ${expected}`);
}

function unknownOption(command: LibraryCommand, name: string): RecPushError {
  const near = nearestWord(
    name,
    libraryOptions(command).map((entry) => entry.name),
  );
  return new RecPushError("usage", "unknown-option", `${command} has no option ${quoteText(name)}`, {
    hint:
      near === undefined ? "its options are those of the command line, written as in batchSize" : `${near}?`,
  });
}
