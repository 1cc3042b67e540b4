import type { FieldOptions } from "../fields/field-options.ts";
import { splitAtCommas } from "../fields/field-rule-texts.ts";
import type { SurveyReport } from "../model/counts.ts";
import { type OptionTexts, textsOf } from "../model/option-texts.ts";
import { pinnedFields } from "./columns.ts";
import { type Form, given, listed, type PinnedField } from "./declaration.ts";
import { takesNumber } from "./program-values.ts";
import { TABLE } from "./table.ts";

/** The section that makes a file of this kind be read as the survey read it, with nothing left to infer. */
export function pinnedSection(
  survey: SurveyReport,
  texts: OptionTexts,
  fields: FieldOptions,
): Readonly<Record<string, unknown>> {
  const section: Record<string, unknown> = {};
  for (const { name, declaration } of TABLE) {
    const { init, form } = declaration;
    if (init === "given") section[name] = asInConfig(texts, name, form);
    if (typeof init === "function") section[name] = init(survey, fields, texts);
    // All rules of a field are one key of the section.
    if (typeof init === "object") section["fields"] ??= pinnedRules(survey, fields);
  }
  return given(section);
}

function pinnedRules(survey: SurveyReport, fields: FieldOptions): object | undefined {
  const rulesOf = (field: PinnedField): object =>
    given(
      Object.fromEntries(
        TABLE.flatMap(({ name, declaration: { init } }) =>
          typeof init === "object" ? [[name, init.rule(field)]] : [],
        ),
      ),
    );
  const named = pinnedFields(survey, fields);
  return named.length === 0
    ? undefined
    : Object.fromEntries(named.map((field) => [field.field, rulesOf(field)]));
}

/** The texts of an option as people write them in a config: `"headerLine": 3`, `"identifyBy": ["a", "b"]`. */
function asInConfig(texts: OptionTexts, name: string, form: Form<unknown>): unknown {
  const text = texts[name];
  if (form.kind === "texts" && form.items.kind === "list")
    return listed(textsOf(texts, name).flatMap(splitAtCommas));
  const isNumber = typeof text === "string" && /^\d{1,12}$/.test(text) && takesNumber(form);
  return isNumber ? Number(text) : text;
}
