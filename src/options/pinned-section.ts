import type { FieldOptions } from "../fields/field-options.ts";
import type { SurveyReport } from "../model/decimal-of.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { pinnedFields } from "./columns.ts";
import { type ConfigKey, given, type PinnedField } from "./declaration.ts";
import { TABLE } from "./table.ts";

/** The section that makes a file of this kind be read as the survey read it, with nothing left to infer. */
export function pinnedSection(
  survey: SurveyReport,
  texts: OptionTexts,
  fields: FieldOptions,
): Readonly<Record<string, unknown>> {
  const section: Record<string, unknown> = {};
  for (const { name, declaration } of TABLE) {
    const { init, config } = declaration;
    const key = config.find(({ place }) => place === "table");
    if (init.kind === "given" && key !== undefined) section[name] = spellKey(key, texts[name]);
    if (init.kind === "settled") section[name] = init.settle(survey, fields, texts);
    // All rules of a field are one key of the section.
    if (init.kind === "rule") section["fields"] ??= pinnedRules(survey, fields);
  }
  return given(section);
}

function pinnedRules(survey: SurveyReport, fields: FieldOptions): object | undefined {
  const rulesOf = (field: PinnedField): object =>
    given(
      Object.fromEntries(
        TABLE.flatMap(({ name, declaration: { init } }) =>
          init.kind === "rule" ? [[name, init.rule(field)]] : [],
        ),
      ),
    );
  const named = pinnedFields(survey, fields);
  return named.length === 0
    ? undefined
    : Object.fromEntries(named.map((field) => [field.field, rulesOf(field)]));
}

function spellKey({ shape }: ConfigKey, text: unknown): unknown {
  return text !== undefined && shape.kind === "number" ? Number(text) : text;
}
