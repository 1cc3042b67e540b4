import { RecPushError } from "../../model/failure.ts";
import { quoteText } from "../../model/refer-to-sheets.ts";
import { AmountEvidence } from "../amount/amount-evidence.ts";
import { ANY_MARK, markBit } from "../amount/amount-scan.ts";
import { type AmountColumn, settleAmounts } from "../amount/settle-amounts.ts";
import type { ColumnsPlace } from "../columns/column-faults.ts";
import { DateEvidence } from "../date/date-evidence.ts";
import type { DateRules } from "../date/date.ts";
import { type DateColumn, lookAtDates, settleDates } from "../date/settle-dates.ts";
import { formatOrders } from "../date/short-years.ts";
import type { PackedDate } from "../date/time-zone.ts";
import { USUAL_PIVOT } from "../date/two-digit-year.ts";
import { readDigits } from "../digits.ts";
import { type FieldType, type FormatPins, readText } from "../type-text.ts";
import { type Evidence, PlainEvidence } from "./plain-evidence.ts";
import type { SettledFormat } from "./settled-format.ts";
import type { ColumnDoubt, TypedColumn } from "./typed-column.ts";

export type { TypedColumn } from "./typed-column.ts";

/** Begins the evidence of one column; the field's name makes the hints ready to paste. */
export function collectEvidence(type: FieldType, pins: FormatPins, field?: string): Evidence {
  if (type.kind === "text") return new PlainEvidence(readText);
  if (type.kind === "digits") return new PlainEvidence(readDigits);
  if (type.kind === "date")
    return new DateEvidence(pinnedRules(type, pins, field), pivotOf(type, pins), field);
  const decimal = type.decimal ?? pins.decimal;
  return new AmountEvidence(decimal === undefined ? ANY_MARK : markBit(decimal), type.scale, field);
}

/**
 * Settles all columns of one file together, in their order. Throws an input error that names every column whose cells
 * are ambiguous, contradict each other, are in two currencies, lie far ahead of `today` or need `--time-zone`.
 */
export function settleColumns(
  columns: readonly TypedColumn[],
  pins: FormatPins,
  place: Pick<ColumnsPlace, "file" | "noun">,
  today: PackedDate,
): SettledFormat[] {
  const dates: DateColumn[] = [];
  const amounts: AmountColumn[] = [];
  for (const column of columns) {
    const { evidence } = column;
    if (evidence instanceof DateEvidence) dates.push({ column, evidence });
    if (evidence instanceof AmountEvidence) amounts.push({ column, evidence });
  }
  const fileDates = lookAtDates(dates, pins.timeZone, today);
  const settled: SettledFormat[] = [];
  const doubts: ColumnDoubt[] = [];
  for (const column of columns) {
    const { evidence } = column;
    let format: SettledFormat | ColumnDoubt = plainFormat(column.type.kind === "digits" ? "digits" : "text");
    if (evidence instanceof DateEvidence) format = settleDates({ column, evidence }, fileDates);
    if (evidence instanceof AmountEvidence) format = settleAmounts({ column, evidence });
    if ("code" in format) doubts.push(format);
    else settled.push(format);
  }
  if (doubts.length > 0) throw refuseDoubts(doubts, place);
  return settled;
}

function pinnedRules(type: FieldType, pins: FormatPins, field: string | undefined): DateRules | undefined {
  const format = (type.kind === "date" ? type.format : undefined) ?? pins.dateFormat;
  if (format === undefined) return undefined;
  const pivotYear = pivotOf(type, pins) ?? USUAL_PIVOT;
  return {
    orders: formatOrders(format),
    isPinned: true,
    pivotYear,
    format,
    zone: { kind: "written" },
    field,
  };
}

function pivotOf(type: FieldType, pins: FormatPins): number | undefined {
  return (type.kind === "date" ? type.pivotYear : undefined) ?? pins.pivotYear;
}

function plainFormat(kind: "text" | "digits"): SettledFormat {
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
