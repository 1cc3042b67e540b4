import { AmountEvidence } from "../fields/amount/amount-evidence.ts";
import { typeOfField } from "../fields/columns/known-fields.ts";
import { unlessNull, type FieldPlan } from "../fields/record/field-plan.ts";
import { isEmpty, type ExaminedField, type TakeBytes } from "../fields/record/examined-field.ts";
import { takePlainAmounts } from "../fields/survey/plain-cells.ts";
import { collectEvidence } from "../fields/survey/settle.ts";
import { TextSum } from "../fields/survey/text-sum.ts";
import type { SumSoFar } from "../fields/totals/watched-columns.ts";
import { explainSuspicion, totalProblem, TOTALS_HINT } from "../fields/totals/suspicion.ts";
import { TotalsWatch } from "../fields/totals/totals-watch.ts";
import { cellOf, ESCAPED, NO_TEXT, type Row } from "../model/row.ts";
import { NullWords } from "../fields/null-words.ts";
import type { JudgeTotals } from "./chunk-builder.ts";

/** A column of amounts, or of text that may be numbers, whose sums tell totals. */
interface AmountField extends ExaminedField {
  readonly evidence: SumSoFar & Pick<AmountEvidence | TextSum, "add">;
  /** Takes an amount from its bytes. */
  readonly takePlain: TakeBytes;
}

/** Judges the rows of an input without a survey as a survey would; `undefined` if the options keep all of them. */
export function judgeTotals({ fields, headers, parts: { options } }: FieldPlan): JudgeTotals | undefined {
  const { totals: answer, nulls, pins } = options;
  if (answer === "keep") return undefined;
  const amounts: AmountField[] = [];
  const nullsAt = headers.map(() => new NullWords(nulls));
  const indexes = { date: [] as number[], digits: [] as number[] };
  for (const field of fields) {
    const type = typeOfField(field.field, options);
    nullsAt[field.index] = field.nulls;
    if (type.kind === "date" || type.kind === "digits") indexes[type.kind].push(field.index);
    if (type.kind === "text" && field.kind === "text") amounts.push(textField(field));
    if (type.kind !== "amount") continue;
    const evidence = collectEvidence(type, pins, field.field);
    if (!(evidence instanceof AmountEvidence)) continue;
    amounts.push({ ...field, evidence, takePlain: unlessNull(takePlainAmounts(evidence), field.nulls) });
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
      for (const field of amounts) addAmount(row, field);
      if (suspicion === undefined) return undefined;
      if (answer === "skip") return "skipped";
      return totalProblem(row.line, row.record, explainSuspicion(suspicion), TOTALS_HINT);
    },
  };
}

function textField(field: ExaminedField): AmountField {
  const evidence = new TextSum(field.field);
  const takePlain: TakeBytes = (...cell) => {
    evidence.addBytes(...cell);
    return true;
  };
  return { ...field, evidence, takePlain: unlessNull(takePlain, field.nulls) };
}

/** Adds the amount of a row to the evidence, from its bytes if it is plain. */
function addAmount(row: Row, field: AmountField): void {
  const { spans, firstCell = 0, width = 0, line } = row;
  if (spans !== undefined && field.index < width) {
    const at = firstCell + field.index;
    const start = spans.starts[at]!;
    const end = spans.ends[at]!;
    const isText = start < end && (spans.marks[at]! & (ESCAPED | NO_TEXT)) === 0;
    if (isText && field.takePlain(spans.bytes, start, end, line)) return;
  }
  const cell = cellOf(row, field.index);
  if (!isEmpty(cell, field)) field.evidence.add(cell, line);
}
