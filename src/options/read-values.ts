import { RecPushError } from "../model/failure.ts";
import type { OptionText, OptionTexts } from "../model/option-texts.ts";
import type { Form } from "./declaration.ts";
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
        : [[name, readOption(text, declaration.form, flagOf(name, declaration))] as const];
    }),
  );
  refuseCombinations(values);
  return values;
}

/** Reads one option; `option` names it in errors. */
export function readOption(text: OptionText, form: Form<unknown>, option: string): unknown {
  switch (form.kind) {
    case "flag":
    case "negated":
      return text === true;
    case "text":
      return form.parse(lastOf(text), option);
    case "texts":
      return form.parse(typeof text === "object" ? text : [String(text)], option);
  }
}

function lastOf(text: OptionText): string {
  return typeof text === "object" ? (text.at(-1) ?? "") : String(text);
}

/** Throws a usage error for a combination of options that makes no sense. */
function refuseCombinations(values: OptionValues): void {
  const { report, results, tokenFile, tokenCommand, clientSecretFile, clientSecretCommand, key, cert } =
    values;
  if (tokenFile !== undefined && tokenCommand !== undefined)
    throw contradiction("--token-file and --token-command exclude each other");
  if (clientSecretFile !== undefined && clientSecretCommand !== undefined)
    throw contradiction("clientSecretFile and clientSecretCommand exclude each other");
  if (key !== undefined && cert === undefined)
    throw contradiction("--key is the key of a certificate, and --cert names none");
  if (report !== undefined && report === results)
    throw contradiction("--report and --results name the same file, and one would replace the other");
}

function contradiction(message: string): RecPushError {
  return new RecPushError("contradicting-options", message);
}
