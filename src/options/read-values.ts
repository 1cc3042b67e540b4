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
        : [[name, readText(text, declaration.form, flagOf(name, declaration))] as const];
    }),
  );
  refuseCombinations(values);
  return values;
}

/** Reads one option; `option` names it in errors. */
export function readText(text: OptionText, form: Form<unknown>, option: string): unknown {
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

/** Options that exclude each other, and the error for it. */
interface Combination {
  readonly isMet: (values: OptionValues) => boolean;
  readonly refuse: (values: OptionValues) => RecPushError;
}

const COMBINATIONS: readonly Combination[] = [
  {
    isMet: ({ tokenFile, tokenCommand }) => tokenFile !== undefined && tokenCommand !== undefined,
    refuse: () => contradiction("--token-file and --token-command exclude each other"),
  },
  {
    isMet: ({ clientSecretFile, clientSecretCommand }) =>
      clientSecretFile !== undefined && clientSecretCommand !== undefined,
    refuse: () => contradiction("clientSecretFile and clientSecretCommand exclude each other"),
  },
  {
    isMet: ({ key, cert }) => key !== undefined && cert === undefined,
    refuse: () => contradiction("--key is the key of a certificate, and --cert names none"),
  },
  {
    isMet: ({ maxInvalid, onInvalid }) => maxInvalid !== undefined && onInvalid !== "skip",
    refuse: () =>
      new RecPushError(
        "usage",
        "limit-without-skip",
        "--max-invalid is for --on-invalid skip: without it the first invalid row stops the run",
        { hint: "add --on-invalid skip, or leave --max-invalid out" },
      ),
  },
  {
    isMet: ({ exports, identifyBy = [] }) => exports === "full" && identifyBy.length === 0,
    refuse: () =>
      new RecPushError("usage", "missing-identity", "--exports full needs --identify-by", {
        hint: "name the fields that identify records without key, such as --identify-by num_commande;\n--identify-by record takes all of them: then a row in which a cell changes is a new record",
      }),
  },
];

/** Throws a usage error for the first combination of options that makes no sense. */
function refuseCombinations(values: OptionValues): void {
  const met = COMBINATIONS.find(({ isMet }) => isMet(values));
  if (met !== undefined) throw met.refuse(values);
}

function contradiction(message: string): RecPushError {
  return new RecPushError("usage", "contradicting-options", message);
}
