import type { OptionText, OptionTexts } from "../model/option-texts.ts";
import { refuseCombinations } from "./combinations.ts";
import type { Declaration } from "./declaration.ts";
import { flagOf, type OptionValues, TABLE } from "./table.ts";

/**
 * Parses the texts of options once; later code uses the values. Throws a usage error for a text that an option does not
 * accept, and for options that exclude each other.
 */
export function readValues(texts: OptionTexts): OptionValues {
  const values: OptionValues = Object.fromEntries(
    TABLE.flatMap(({ name, declaration }) => {
      const text = texts[name];
      return text === undefined
        ? []
        : [[name, readText(text, declaration, flagOf(name, declaration))] as const];
    }),
  );
  refuseCombinations(values);
  return values;
}

/** Reads one option; `option` names it in errors. */
export function readText(text: OptionText, { form }: Declaration<unknown>, option: string): unknown {
  switch (form.kind) {
    case "flag":
    case "negated":
      return text === true;
    case "text":
    case "unwritten":
      return form.parse(lastOf(text), option);
    case "texts":
      return form.parse(typeof text === "object" ? text : [String(text)], option);
  }
}

function lastOf(text: OptionText): string {
  return typeof text === "object" ? (text.at(-1) ?? "") : String(text);
}
