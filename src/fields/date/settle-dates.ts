import type { DateSpec } from "../record/format-spec.ts";
import { type Example, showExample } from "../survey/example.ts";
import type { SettledFormat } from "../survey/settled-format.ts";
import { type ColumnDoubt, nameColumns, type TypedColumn } from "../survey/typed-column.ts";
import { spellType } from "../type-text.ts";
import type { DateEvidence } from "./date-evidence.ts";
import { type DateRules, scanDate } from "./date.ts";
import {
  ANY_ORDER,
  type DatedCell,
  DateScan,
  DMY,
  formatOrders,
  isSingle,
  MDY,
  orderFormat,
  ORDERS,
  YMD,
} from "./short-years.ts";
import { type PackedDate, spellDate } from "./time-zone.ts";
import { spellPivot, USUAL_PIVOT } from "./two-digit-year.ts";

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

const CENTURY = 1_000_000;

/**
 * Finds what is still open about two-digit years after the order is settled: whether they come first after all, or the
 * century of dates far ahead. Options that pin the order or the pivot year answer it.
 */
function doubtShortYears(dates: DateColumn, orders: number, file: FileDates): ColumnDoubt | undefined {
  const { evidence } = dates;
  const open = findYearFirst(dates, orders, file);
  if (open !== undefined) return doubtOrder(dates, open.example, open.order | YMD);
  if (evidence.pivotYear !== undefined) return undefined;
  // If no order is left, as with serials, all dates read so far need none.
  const ahead = evidence.shortYears.firstAfter(horizonOf(dates, file.today), orders === 0 ? DMY : orders);
  return ahead === undefined ? undefined : doubtCentury(dates, ahead, file);
}

/** The first cell whose year may come first, and the order that reads it differently. */
function findYearFirst(
  dates: DateColumn,
  orders: number,
  file: FileDates,
): { readonly example: Example; readonly order: number } | undefined {
  const { pinned, yearFirst } = dates.evidence;
  if (pinned !== undefined || hasOther(file.yearLast, dates)) return undefined;
  for (const order of [DMY, MDY]) {
    const example =
      (order & orders) === 0 ? undefined : yearFirst.openAgainst(order, horizonOf(dates, file.today));
    if (example !== undefined) return { example, order };
  }
  return undefined;
}

function doubtCentury(dates: DateColumn, ahead: DatedCell, file: FileDates): ColumnDoubt {
  const { column } = dates;
  const before = ahead.date - CENTURY;
  const text = `${showExample(ahead)} is ${spellDate(before)} or ${spellDate(ahead.date)}`;
  const isAlone = !hasOther(file.shortYears, dates);
  const options = [Math.trunc(before / 10_000), USUAL_PIVOT].map((pivotYear) =>
    isAlone
      ? `--pivot-year ${spellPivot(pivotYear)}`
      : `--type ${column.field}=${spellType({ ...column.type, kind: "date", pivotYear })}`,
  );
  return { code: "open-century", column, line: ahead.line, text, options };
}

/** The order on which all date columns of a file that have proof of one agree. */
interface AgreedOrder {
  readonly orders: number;
  readonly disproved: number;
  readonly settledBy: string;
}

/** Everything other than a column's own cells that settles its dates; made once per file, for all columns. */
export interface FileDates {
  /** `--time-zone`. */
  readonly timeZone: string | undefined;
  /** The day on which the run began. */
  readonly today: PackedDate;
  readonly agreed: AgreedOrder | undefined;
  /** The columns whose two-digit years certainly come last. */
  readonly yearLast: ReadonlySet<DateEvidence>;
  /** The columns with years of two digits. */
  readonly shortYears: ReadonlySet<DateEvidence>;
}

/** Collects what the date columns of a file say about each other. */
export function lookAtDates(
  all: readonly DateColumn[],
  timeZone: string | undefined,
  today: PackedDate,
): FileDates {
  const evidences = (columns: readonly DateColumn[]) => new Set(columns.map(({ evidence }) => evidence));
  return {
    timeZone,
    today,
    agreed: agreeOnOrder(all),
    yearLast: evidences(all.filter((dates) => isYearLast(dates, today))),
    shortYears: evidences(all.filter(({ evidence }) => !evidence.shortYears.isEmpty)),
  };
}

/** True if a column other than this one is among them. */
function hasOther(columns: ReadonlySet<DateEvidence>, { evidence }: DateColumn): boolean {
  return columns.size > (columns.has(evidence) ? 1 : 0);
}

/** The day after which dates of this column count as far ahead. */
function horizonOf({ column }: DateColumn, today: PackedDate): PackedDate {
  return findHorizon(today, [column.name, column.field]);
}

/**
 * The order of the columns that have proof, for those without; `undefined` if they disagree or there are none. A column
 * whose form never allowed an order does not object to it; a pinned column without proof cannot decide, but can object.
 */
function agreeOnOrder(all: readonly DateColumn[]): AgreedOrder | undefined {
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

function isYearLast(dates: DateColumn, today: PackedDate): boolean {
  const { pinned, yearFirst, orders } = dates.evidence;
  return pinned === undefined && yearFirst.isYearLast(orders, horizonOf(dates, today));
}

const YEAR = 10_000;
const USUAL_YEARS = 1;
const FUTURE_YEARS = 30;

// Names of columns with dates in the future, in the languages of the month names, without accents: whole words, and
// prefixes.
const WORDS: ReadonlySet<string> = new Set(
  "due duedate fin end ends enddate datefin until till deadline ende bis fine vence einde".split(" "),
);
const BEGINNINGS =
  /^(?:echean|expir|perempt|matur|enddat|ablauf|fallig|scaden|vencim|caduc|verval|validite|validity|validto)/;

/**
 * The last day for which a two-digit year is read with the usual century: a year after `today`, or thirty years if the
 * name of the column or of its field suggests the future (`date_echeance`, `Due date`).
 */
export function findHorizon(today: PackedDate, names: readonly string[]): PackedDate {
  return today + YEAR * (names.some(isNamedForFuture) ? FUTURE_YEARS : USUAL_YEARS);
}

function isNamedForFuture(name: string): boolean {
  const isAscii = /^[ -~]*$/.test(name);
  const words = (isAscii ? name : name.normalize("NFD").replace(/\p{M}/gu, ""))
    .replace(isAscii ? /([a-z])([A-Z])/g : /(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => WORDS.has(word) || BEGINNINGS.test(word));
}

/** A column of dates with its evidence. */
export interface DateColumn {
  readonly column: TypedColumn;
  readonly evidence: DateEvidence;
}

/** The doubt about a cell that the possible orders read differently, with all its readings. */
function doubtOrder({ column, evidence }: DateColumn, example: Example, orders: number): ColumnDoubt {
  const scan = new DateScan();
  scan.pivotYear = evidence.pivotYear ?? USUAL_PIVOT;
  scanDate(example.value, scan);
  const readings = new Map<PackedDate, number>();
  for (const order of ORDERS) {
    const date = (order & orders) === 0 ? 0 : scan.under(order);
    if (date !== 0 && !readings.has(date)) readings.set(date, order);
  }
  const text = `${showExample(example)} is ${[...readings.keys()].map(spellDate).join(" or ")}`;
  const options = orderOptions(column, [...readings.values()]);
  return { code: "ambiguous-date", column, line: example.line, text, options };
}

/** The options that each pin one of these orders for the column. */
function orderOptions({ field, type }: TypedColumn, orders: readonly number[]): readonly string[] {
  return orders.map(
    (order) => `--type ${field}=${spellType({ ...type, kind: "date", format: orderFormat(order) })}`,
  );
}
