import type { FieldOptions } from "../fields/field-options.ts";
import type { SurveyReport } from "../model/decimal-of.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { pinnedFields } from "./columns.ts";
import { given, type PinnedField } from "./declaration.ts";
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
    const text = texts[name];
    // A config writes it as people do: "headerLine": 3.
    const isNumber = typeof text === "string" && /^\d{1,12}$/.test(text) && takesNumber(form);
    if (init === "given") section[name] = isNumber ? Number(text) : text;
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
