import type { DeclaredField } from "./field-options.ts";
import {
  checkField,
  givenTwice,
  misuse,
  parseList,
  splitAtCommas,
  splitField,
} from "./field-option-texts.ts";
import { compilePattern } from "./record/field-checks.ts";

/** The texts of `--default`, `--required`, `--pattern` and `--one-of`, as often as each was given. */
export interface FieldRuleTexts {
  readonly default: readonly string[];
  readonly required: readonly string[];
  readonly pattern: readonly string[];
  readonly oneOf: readonly string[];
}

/** Puts the rules that options give before what is declared, rule by rule. Throws usage. */
export function parseFieldRules(
  texts: FieldRuleTexts,
  declared: ReadonlyMap<string, DeclaredField>,
): ReadonlyMap<string, DeclaredField> {
  const fields = new Map(declared);
  const add = (field: string, rule: DeclaredField): void =>
    void fields.set(field, { ...fields.get(field), ...rule });
  for (const [field, value] of pairsOf("--default", texts.default, "as in --default state=open"))
    add(field, { default: value });
  for (const field of parseList(texts.required, "--required"))
    add(checkField("--required", field), { required: true });
  for (const [field, pattern] of pairsOf(
    "--pattern",
    texts.pattern,
    "as in --pattern 'code=[A-Z]{2}[0-9]+'",
  )) {
    compilePattern(field, pattern);
    add(field, { pattern });
  }
  for (const [field, values] of pairsOf("--one-of", texts.oneOf, "as in --one-of state=open,closed"))
    add(field, { oneOf: splitAtCommas(values) });
  return fields;
}

function pairsOf(option: string, texts: readonly string[], example: string): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const { field, value } = splitField(option, text, `a field and what holds for it, ${example}`);
    if (pairs.has(field)) throw givenTwice(option, field);
    if (value === "" && option !== "--default") throw misuse(option, text, `a rule, ${example}`);
    pairs.set(field, value);
  }
  return pairs;
}
