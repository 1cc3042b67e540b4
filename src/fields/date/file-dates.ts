import type { PackedDate } from "./calendar.ts";
import type { DateColumn } from "./date-doubts.ts";
import type { DateEvidence } from "./date-evidence.ts";
import { formatOrders, isSingle } from "./date-order.ts";
import { findHorizon } from "./horizon.ts";
import { nameColumns } from "../survey/typed-column.ts";

/** The order on which all date columns of a file that have proof of one agree. */
export interface AgreedOrder {
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
export function hasOther(columns: ReadonlySet<DateEvidence>, { evidence }: DateColumn): boolean {
  return columns.size > (columns.has(evidence) ? 1 : 0);
}

/** The day after which dates of this column count as far ahead. */
export function horizonOf({ column }: DateColumn, today: PackedDate): PackedDate {
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
