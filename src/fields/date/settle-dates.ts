import type { DateRules } from "./date.ts";
import { doubtOrder, orderOptions, type DateColumn } from "./date-doubts.ts";
import type { AgreedOrder, FileDates } from "./file-dates.ts";
import { doubtShortYears, findYearFirst } from "./doubt-short-years.ts";
import { ANY_ORDER, isSingle, ORDERS, orderFormat, YMD } from "./date-order.ts";
import { USUAL_PIVOT } from "./two-digit-year.ts";
import { showExample, type Example } from "../survey/example.ts";
import type { DateSpec } from "../record/format-spec.ts";
import type { ColumnDoubt } from "../survey/typed-column.ts";
import type { SettledFormat } from "../survey/settled-format.ts";

interface SettledOrder {
  readonly orders: number;
  readonly settledBy: string | undefined;
  readonly inferred: boolean;
}

/** Settles one column: by its pin, by its own cells, else by the other date columns of the file. */
export function settleDates(dates: DateColumn, file: FileDates): SettledFormat | ColumnDoubt {
  const { evidence, column } = dates;
  const order =
    evidence.pinned === undefined ? settleOrder(dates, file) : pinnedOrder(dates, evidence.pinned);
  if ("code" in order) return order;
  const doubt = doubtShortYears(dates, order.orders, file);
  if (doubt !== undefined) return doubt;
  const zone = settleZone(dates, file.timeZone);
  if ("code" in zone) return zone;
  const format = evidence.pinned?.format ?? (isSingle(order.orders) ? orderFormat(order.orders) : undefined);
  const { field } = column;
  const isPinned = evidence.pinned !== undefined;
  const pivotYear = evidence.pivotYear ?? USUAL_PIVOT;
  const { orders } = order;
  const spec = {
    kind: "date",
    orders,
    isPinned,
    pivotYear,
    format,
    timeZone: file.timeZone,
    zone,
    field,
  } as const;
  if (format === undefined && evidence.zoned !== undefined)
    return { ...describeZone(zone), inferred: false, spec };
  return { format, settledBy: order.settledBy, inferred: order.inferred, spec };
}

function pinnedOrder({ column }: DateColumn, { orders }: DateRules): SettledOrder {
  const isOwn = column.type.kind === "date" && column.type.format !== undefined;
  return { orders, settledBy: isOwn ? "--type" : "--date-format", inferred: false };
}

function settleOrder(dates: DateColumn, file: FileDates): SettledOrder | ColumnDoubt {
  const { evidence } = dates;
  if (evidence.orders === 0) return doubtContradiction(dates);
  const proof = evidence.proof();
  if (proof !== undefined) return { orders: evidence.orders, settledBy: showExample(proof), inferred: true };
  const disagreement = evidence.disagreement();
  if (disagreement === undefined) return { orders: evidence.orders, settledBy: undefined, inferred: false };
  const byOthers = settleByOthers(dates, file.agreed);
  if (byOthers !== undefined) return byOthers;
  const isOpen = findYearFirst(dates, evidence.orders, file) !== undefined;
  return doubtOrder(dates, disagreement, isOpen ? evidence.orders | YMD : evidence.orders);
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
  if (timeZone !== undefined) return { kind: "convert" };
  const text = `${showExample(zoned)} is a moment, whose date depends on the time zone`;
  const options = ["--time-zone Europe/Paris"];
  return { code: "missing-time-zone", column, line: zoned.line, text, options };
}

function describeZone(zone: DateSpec["zone"]): Pick<SettledFormat, "format" | "settledBy"> {
  if (zone.kind === "convert") return { format: "dates in the time zone", settledBy: "--time-zone" };
  return { format: "dates as written", settledBy: "every time in it is midnight" };
}

function doubtContradiction({ column, evidence }: DateColumn): ColumnDoubt {
  const examples = distinct(evidence.excluding(ANY_ORDER));
  const text = `${examples.map(showExample).join(" and ")} have no order of day, month and year in common`;
  const line = examples[0]?.line ?? 0;
  const orders = ORDERS.filter((order) => (order & evidence.disproved) !== 0);
  return { code: "contradicting-dates", column, line, text, options: orderOptions(column, orders) };
}

function distinct(examples: readonly Example[]): Example[] {
  const sorted = examples.toSorted(
    (one, other) => one.line - other.line || (one.value < other.value ? -1 : 1),
  );
  return sorted.filter(
    ({ line, value }, at) => line !== sorted[at - 1]?.line || value !== sorted[at - 1]?.value,
  );
}
