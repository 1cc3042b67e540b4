import { spellDate } from "./calendar.ts";
import { scanDate, type DateRules } from "./date.ts";
import type { DateEvidence } from "./date-evidence.ts";
import { ANY_ORDER, formatOrders, isSingle, ORDERS, orderFormat } from "./date-order.ts";
import { formatOption } from "./date-reasons.ts";
import { DateScan } from "./date-scan.ts";
import { showExample, type Example } from "../survey/example.ts";
import type { DateSpec } from "../record/format-spec.ts";
import { nameColumns, type ColumnDoubt, type TypedColumn } from "../survey/typed-column.ts";
import type { SettledFormat } from "../survey/settled-format.ts";

/** A column of dates with its evidence. */
export interface DateColumn {
  readonly column: TypedColumn;
  readonly evidence: DateEvidence;
}

interface SettledOrder {
  readonly orders: number;
  readonly settledBy: string | undefined;
  readonly inferred: boolean;
}

/** The order that the date columns of a file with proof of theirs have in common. */
export interface AgreedOrder {
  readonly orders: number;
  readonly disproved: number;
  readonly settledBy: string;
}

/**
 * What the columns with proof say about those without; `undefined` where they disagree or there are none. A column whose
 * form never allowed an order does not speak against it, and a pinned column cannot decide without proof, but can object.
 */
export function agreeOnOrder(all: readonly DateColumn[]): AgreedOrder | undefined {
  const proven: DateColumn[] = [];
  let orders = 0;
  let disproved = 0;
  for (const dates of all) {
    const { evidence } = dates;
    const pinned = evidence.pinned === undefined ? 0 : formatOrders(evidence.pinned.format ?? "excel");
    const hasProof =
      isSingle(evidence.orders) && (evidence.pinned === undefined || evidence.orders === pinned);
    const vote = hasProof ? evidence.orders : pinned;
    if (vote === 0) continue;
    if (orders !== 0 && vote !== orders) return undefined;
    orders = vote;
    if (!hasProof) continue;
    proven.push(dates);
    disproved |= evidence.disproved;
  }
  return proven.length === 0 ? undefined : { orders, disproved, settledBy: nameColumns(proven) };
}

/** Settles one column: by its pin, by its own cells, else by the other date columns of the file. */
export function settleDates(
  dates: DateColumn,
  others: AgreedOrder | undefined,
  timeZone: string | undefined,
): SettledFormat | ColumnDoubt {
  const { evidence, column } = dates;
  const order =
    evidence.pinned === undefined ? settleOrder(dates, others) : pinnedOrder(dates, evidence.pinned);
  if ("code" in order) return order;
  const zone = settleZone(dates, timeZone);
  if ("code" in zone) return zone;
  const format = evidence.pinned?.format ?? (isSingle(order.orders) ? orderFormat(order.orders) : undefined);
  const { field } = column;
  const spec = { kind: "date", orders: order.orders, format, timeZone, zone, field } as const;
  if (format === undefined && evidence.zoned !== undefined)
    return { ...describeZone(zone), inferred: false, spec };
  return { format, settledBy: order.settledBy, inferred: order.inferred, spec };
}

function pinnedOrder({ column }: DateColumn, { orders }: DateRules): SettledOrder {
  const isOwn = column.type.kind === "date" && column.type.format !== undefined;
  return { orders, settledBy: isOwn ? "--type" : "--date-format", inferred: false };
}

function settleOrder(dates: DateColumn, others: AgreedOrder | undefined): SettledOrder | ColumnDoubt {
  const { evidence } = dates;
  if (evidence.orders === 0) return doubtContradiction(dates);
  const proof = evidence.proof();
  if (proof !== undefined) return { orders: evidence.orders, settledBy: showExample(proof), inferred: true };
  const disagreement = evidence.disagreement();
  if (disagreement === undefined) return { orders: evidence.orders, settledBy: undefined, inferred: false };
  return settleByOthers(dates, others) ?? doubtAmbiguity(dates, disagreement.example, disagreement.orders);
}

function settleByOthers({ evidence }: DateColumn, others: AgreedOrder | undefined): SettledOrder | undefined {
  if (others === undefined) return undefined;
  const { orders, disproved, settledBy } = others;
  const open = evidence.orders;
  if ((orders & open) === 0 || (open & ~orders & ~disproved) !== 0) return undefined;
  return { orders, settledBy, inferred: true };
}

function settleZone(
  { column, evidence }: DateColumn,
  timeZone: string | undefined,
): DateSpec["zone"] | ColumnDoubt {
  const { zoned, timed } = evidence;
  if (zoned === undefined) return { kind: "refuse" };
  if (timed === undefined) return { kind: "written" };
  if (timeZone !== undefined) return { kind: "convert", isSurveyed: true };
  const text = `${showExample(zoned)} is a moment, whose date depends on the time zone`;
  const options = ["--time-zone Europe/Paris"];
  return { code: "missing-time-zone", column, line: zoned.line, text, options, commonOptions: options };
}

function describeZone(zone: DateSpec["zone"]): Pick<SettledFormat, "format" | "settledBy"> {
  if (zone.kind === "convert") return { format: "dates in the time zone", settledBy: "--time-zone" };
  return { format: "dates as written", settledBy: "every time in it is midnight" };
}

function doubtAmbiguity({ column }: DateColumn, example: Example, orders: readonly number[]): ColumnDoubt {
  const scan = new DateScan();
  scanDate(example.value, scan);
  const readings = orders.map((order) => spellDate(scan.under(order)));
  const text = `${showExample(example)} is ${readings.join(" or ")}`;
  return { code: "ambiguous-date", column, line: example.line, text, ...orderOptions(column, orders) };
}

function doubtContradiction({ column, evidence }: DateColumn): ColumnDoubt {
  const examples = distinct(evidence.excluding(ANY_ORDER));
  const text = `${examples.map(showExample).join(" and ")} have no order of day, month and year in common`;
  const line = examples[0]?.line ?? 0;
  const orders = ORDERS.filter((order) => (order & evidence.disproved) !== 0);
  return { code: "contradicting-dates", column, line, text, ...orderOptions(column, orders) };
}

function orderOptions(
  column: TypedColumn,
  orders: readonly number[],
): Pick<ColumnDoubt, "options" | "commonOptions"> {
  const formats = orders.map(orderFormat);
  return {
    options: formats.map((format) => formatOption(format, column.field)),
    commonOptions: formats.map((format) => formatOption(format, undefined)),
  };
}

function distinct(examples: readonly Example[]): Example[] {
  const sorted = examples.toSorted(
    (one, other) => one.line - other.line || (one.value < other.value ? -1 : 1),
  );
  return sorted.filter(
    ({ line, value }, at) => line !== sorted[at - 1]?.line || value !== sorted[at - 1]?.value,
  );
}
