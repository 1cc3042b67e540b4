import { AmountEvidence } from "../fields/amount/amount-evidence.ts";
import { typeOfField } from "../fields/columns/known-fields.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import { isEmpty, type ExaminedField } from "../fields/record/examined-field.ts";
import { collectEvidence } from "../fields/survey/settle.ts";
import { explainSuspicion, TOTALS_HINT } from "../fields/totals/suspicion.ts";
import { TotalsWatch } from "../fields/totals/totals-watch.ts";
import { cellOf } from "../model/row.ts";
import { NullWords } from "../fields/null-words.ts";
import type { JudgeTotals } from "./chunk-builder.ts";

/** Judges the rows of an input without a survey as a survey would; `undefined` if the options keep all of them. */
export function judgeTotals({ fields, headers, parts: { options } }: FieldPlan): JudgeTotals | undefined {
  const { totals: answer, nulls, pins } = options;
  if (answer === "keep") return undefined;
  const amounts: (ExaminedField & { readonly evidence: AmountEvidence })[] = [];
  const nullsAt = headers.map(() => new NullWords(nulls));
  const indexes = { date: [] as number[], digits: [] as number[] };
  for (const field of fields) {
    const type = typeOfField(field.field, options);
    nullsAt[field.index] = field.nulls;
    if (type.kind === "date" || type.kind === "digits") indexes[type.kind].push(field.index);
    if (type.kind !== "amount") continue;
    const evidence = collectEvidence(type, pins, field.field);
    if (evidence instanceof AmountEvidence) amounts.push({ ...field, evidence });
  }
  const watch = new TotalsWatch({
    width: headers.length,
    sent: fields.map(({ index }) => index),
    key: fields.find(({ kind }) => kind === "key")?.index,
    dates: indexes.date,
    digits: indexes.digits,
    amounts,
    nullsAt: nullsAt.map((words) => (words.isEmpty ? undefined : words)),
  });
  return {
    judge(row) {
      const suspicion = watch.judge(row);
      for (const field of amounts) {
        const cell = cellOf(row, field.index);
        if (!isEmpty(cell, field)) field.evidence.add(cell, row.line);
      }
      if (suspicion === undefined) return undefined;
      if (answer === "skip") return "skipped";
      return { line: row.line, reason: explainSuspicion(suspicion), hint: TOTALS_HINT };
    },
  };
}
