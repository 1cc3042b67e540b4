import { RecPushError } from "../../model/failure.ts";
import { quoteText } from "../../model/text.ts";
import { AmountEvidence, settleAmounts } from "../amount/amount-evidence.ts";
import type { ColumnsPlace } from "../columns/column-faults.ts";
import { agreeOnOrder, type DateColumn, DateEvidence, settleDates } from "../date/date-evidence.ts";
import type { PackedDate } from "../date/calendar.ts";
import { readDigits } from "../digits.ts";
import { type FieldType, type FormatPins, readText } from "../type-text.ts";
import type { ColumnDoubt, ColumnEvidence, ColumnFormat, TypedColumn } from "./column-format.ts";

/** Begins the evidence of one column; the field's name makes the hints ready to paste. */
export function collectEvidence(
  type: FieldType,
  pins: FormatPins,
  field: string,
  today: PackedDate,
): ColumnEvidence {
  if (type.kind === "date") return new DateEvidence(type, pins, field, today);
  if (type.kind === "amount") return new AmountEvidence(type, pins);
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
  const agreed = agreeOnOrder(columns.flatMap((column) => dateColumn(column) ?? []));
  const found = columns.map((column): ColumnFormat | ColumnDoubt => {
    const { evidence, type } = column;
    const dates = dateColumn(column);
    if (dates !== undefined) return settleDates(dates, agreed, pins.timeZone);
    if (evidence instanceof AmountEvidence) return settleAmounts({ column, evidence });
    const kind = type.kind === "digits" ? "digits" : "text";
    return { format: undefined, settledBy: undefined, inferred: false, spec: { kind } };
  });
  const doubts = found.filter((one): one is ColumnDoubt => "code" in one);
  if (doubts.length > 0) throw refuseDoubts(doubts, place);
  return found.filter((one): one is ColumnFormat => !("code" in one));
}

function dateColumn(column: TypedColumn): DateColumn | undefined {
  const { evidence } = column;
  return evidence instanceof DateEvidence ? { column, evidence } : undefined;
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
