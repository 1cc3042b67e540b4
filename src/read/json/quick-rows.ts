import { AlikeRows } from "./alike-rows.ts";
import type { JsonRecord } from "./json-record.ts";
import type { JsonWindow } from "./json-window.ts";
import { PlainRows } from "./plain-rows.ts";
import type { ScannedRow } from "./scanned-row.ts";

/** After this many rows in a row that were not found, only one in this many is looked for. */
const MOST_MISSES = 8;
const TRY_AGAIN = 16;

/** Finds rows in one go, by what the rows before were like; all others are left to the strict scanner. */
export class QuickRows {
  /** `undefined` if objects are flattened: a plain value may stand for an object then. */
  readonly #plain: Trials<PlainRows> | undefined;
  readonly #alike = new Trials(new AlikeRows());

  constructor({ isFlattened }: { readonly isFlattened: boolean }) {
    this.#plain = isFlattened ? undefined : new Trials(new PlainRows());
  }

  /** The row whose `{` is at `at`, the one after `before` others, with at most `maxBytes`; `undefined` if it has to be scanned. */
  find(
    { bytes }: JsonWindow,
    at: number,
    { columns, isOwn }: JsonRecord,
    { before, maxBytes }: { readonly before: number; readonly maxBytes: number },
  ): ScannedRow | undefined {
    return (
      this.#plain?.try(before, (rows) => rows.scan(bytes, at, columns, isOwn) && rows.end - at <= maxBytes) ??
      this.#alike.try(before, (rows) => rows.scan(bytes, at, columns) && rows.end - at <= maxBytes)
    );
  }

  /** Learns from a row that was scanned. */
  learn({ bytes, base }: JsonWindow, { columns, isOwn, layout }: JsonRecord, row: RowBounds): void {
    this.#alike.rows.learn(bytes, base, { ...row, values: layout.values }, columns, isOwn);
  }
}

interface RowBounds {
  readonly start: number;
  readonly end: number;
}

/** One way of finding rows. If it finds none, the attempts would cost more than they save. */
class Trials<Rows extends ScannedRow> {
  readonly rows: Rows;
  #misses = 0;

  constructor(rows: Rows) {
    this.rows = rows;
  }

  try(before: number, scan: (rows: Rows) => boolean): ScannedRow | undefined {
    if (this.#misses > MOST_MISSES && before % TRY_AGAIN !== 0) return undefined;
    const isFound = scan(this.rows);
    this.#misses = isFound ? 0 : this.#misses + 1;
    return isFound ? this.rows : undefined;
  }
}
