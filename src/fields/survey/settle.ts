import { RecPushError } from "../../model/failure.ts";
import { quoteText } from "../../model/text.ts";
import { AmountEvidence, settleAmounts } from "../amount/amount-evidence.ts";
import { ANY_MARK, markBit } from "../amount/amount-scan.ts";
import type { ColumnsPlace } from "../columns/column-faults.ts";
import { agreeOnOrder, type DateColumn, DateEvidence, settleDates } from "../date/date-evidence.ts";
import { formatOrders } from "../date/date-scan.ts";
import type { DateRules } from "../date/date.ts";
import type { PackedDate } from "../date/time-zone.ts";
import { USUAL_PIVOT } from "../date/two-digit-year.ts";
import { readDigits } from "../digits.ts";
import { type FieldType, type FormatPins, readText } from "../type-text.ts";
import type { ColumnDoubt, ColumnEvidence, ColumnFormat, TypedColumn } from "./typed-column.ts";

/** Begins the evidence of one column; the field's name makes the hints ready to paste. */
export function collectEvidence(
  type: FieldType,
  pins: FormatPins,
  field: string,
  today: PackedDate,
): ColumnEvidence {
  if (type.kind === "date") {
    const pivotYear = type.pivotYear ?? pins.pivotYear;
    return new DateEvidence(pinnedRules(type, pins, field), pivotYear, field, today);
  }
  if (type.kind === "amount") {
    const decimal = type.decimal ?? pins.decimal;
    return new AmountEvidence(decimal === undefined ? ANY_MARK : markBit(decimal), type.scale, field);
  }
  const read = type.kind === "digits" ? readDigits : readText;
  const add: ColumnEvidence["add"] = (cell) => {
    const value = read(cell);
    return typeof value === "string" ? undefined : value;
  };
  return { add, alike: () => undefined };
}

/**
 * Settles all columns of one file together, in their order. Throws an input error that names every column whose cells
 * are ambiguous, contradict each other, are in two currencies, lie far ahead of today or need `--time-zone`.
 */
export function settleColumns(
  columns: readonly TypedColumn[],
  pins: FormatPins,
  place: Pick<ColumnsPlace, "file" | "noun">,
): ColumnFormat[] {
  const dates = columns.flatMap((column): DateColumn[] =>
    column.evidence instanceof DateEvidence ? [{ column, evidence: column.evidence }] : [],
  );
  const agreed = agreeOnOrder(dates);
  const settled: ColumnFormat[] = [];
  const doubts: ColumnDoubt[] = [];
  for (const column of columns) {
    const { evidence } = column;
    let format: ColumnFormat | ColumnDoubt = plainFormat(column.type.kind === "digits" ? "digits" : "text");
    if (evidence instanceof DateEvidence) format = settleDates({ column, evidence }, agreed, pins.timeZone);
    if (evidence instanceof AmountEvidence) format = settleAmounts({ column, evidence });
    if ("code" in format) doubts.push(format);
    else settled.push(format);
  }
  if (doubts.length > 0) throw refuseDoubts(doubts, place);
  return settled;
}

function pinnedRules(
  type: Extract<FieldType, { kind: "date" }>,
  pins: FormatPins,
  field: string,
): DateRules | undefined {
  const format = type.format ?? pins.dateFormat;
  if (format === undefined) return undefined;
  const pivotYear = type.pivotYear ?? pins.pivotYear ?? USUAL_PIVOT;
  const orders = formatOrders(format);
  return { orders, isPinned: true, pivotYear, format, timeZone: undefined, zone: "written", field };
}

function plainFormat(kind: "text" | "digits"): ColumnFormat {
  return { format: undefined, settledBy: undefined, inferred: false, spec: { kind } };
}

function refuseDoubts(
  doubts: readonly ColumnDoubt[],
  { file, noun }: Pick<ColumnsPlace, "file" | "noun">,
): RecPushError {
  const [first] = doubts;
  const lines = doubts.map(({ column, text }) => `${noun} ${quoteText(column.name)}: ${text}`);
  const message =
    doubts.length === 1
      ? `${file}: ${lines[0]}`
      : `${file}: ${doubts.length} ${noun}s are not certain\n  ${lines.join("\n  ")}`;
  const hints = new Set(doubts.map(({ options }) => options.join(" or ")));
  const choices = doubts.map(({ options }, at) => ({ question: lines[at]!, answers: options }));
  return new RecPushError("input", first?.code ?? "ambiguous", message, {
    choices: choices.every(({ answers }) => answers.length > 1) ? choices : undefined,
    hint: [...hints].join("; "),
    place: { file, ...(first === undefined ? {} : { line: first.line }) },
  });
}
