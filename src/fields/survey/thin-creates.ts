import { showCount } from "../../model/quantities.ts";
import type { Notice } from "../../model/reading.ts";
import { KEY_FIELD } from "../columns/known-fields.ts";
import { listSome } from "../list-some.ts";
import type { GivenValues } from "../record/examine-row.ts";
import type { ColumnWatch } from "./column-watch.ts";

/** A field is expected of a create if so many of the updates give it. */
const EXPECTED_SHARE = 0.95;
/** So many sets of fields are told apart. */
const MOST_SETS = 1024;

/** The creates that give the same fields. */
interface AlikeCreates {
  readonly slots: ReadonlySet<number>;
  readonly line: number;
  count: number;
}

/** Tells of creates among more updates that lack what nearly all of these give: their keys may have been forgotten. */
export class ThinCreates {
  readonly #sets = new Map<string, AlikeCreates>();

  /** Adds a create, by the fields that it gives. */
  add({ count, slots }: GivenValues, line: number): void {
    const given = slots.slice(0, count);
    const name = given.join();
    const alike = this.#sets.get(name);
    if (alike !== undefined) alike.count++;
    else if (this.#sets.size < MOST_SETS) this.#sets.set(name, { slots: new Set(given), line, count: 1 });
  }

  /** `filled`: in how many of all records, of which so many are updates, a field is given. */
  notices(watches: readonly ColumnWatch[], filled: (slot: number) => number, updates: number): Notice[] {
    const sets = [...this.#sets.values()];
    const creates = sets.reduce((sum, { count }) => sum + count, 0);
    if (creates === 0 || creates >= updates) return [];
    const isExpected = (slot: number): boolean => {
      const given = sets.reduce((sum, { slots, count }) => sum + (slots.has(slot) ? count : 0), 0);
      return filled(slot) - given >= EXPECTED_SHARE * updates;
    };
    const expected = [...watches.keys()].filter(
      (slot) => watches[slot]!.column.field !== KEY_FIELD && isExpected(slot),
    );
    const thin = sets.filter(({ slots }) => expected.some((slot) => !slots.has(slot)));
    if (thin.length === 0) return [];
    const lacking = expected.filter((slot) => thin.some(({ slots }) => !slots.has(slot)));
    const fields = listSome(lacking.map((slot) => watches[slot]!.column.field!));
    const count = thin.reduce((sum, alike) => sum + alike.count, 0);
    const line = Math.min(...thin.map((alike) => alike.line));
    const which = count === 1 ? `the create in line ${line} lacks` : `${showCount(count, "create")} lack`;
    const first = count === 1 ? "" : `; the first is in line ${line}`;
    const text = `${which} what nearly all of the ${showCount(updates, "update")} give (${fields})${first}: a key may be missing`;
    return [{ text, isAlwaysShown: true }];
  }
}
