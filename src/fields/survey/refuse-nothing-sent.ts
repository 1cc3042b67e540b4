import { showCount } from "../../model/decimal-of.ts";
import { RecPushError } from "../../model/failure.ts";
import { isMarkerColumn } from "../../model/marker-columns.ts";
import { NestedValue, type Row } from "../../model/problem-groups.ts";
import type { Notice } from "../../model/reading.ts";
import { quoteText, quoteWord } from "../../model/refer-to-sheets.ts";
import {
  type ColumnFault,
  type ColumnsPlace,
  type PlannedColumn,
  showColumn,
} from "../columns/column-faults.ts";
import { KEY_FIELD } from "../columns/other-columns.ts";
import type { FieldOptions } from "../field-options.ts";
import { listSome } from "../list-some.ts";
import type { GivenValues } from "../record/examine-row.ts";
import type { ColumnWatch } from "./column-watch.ts";

/** How many rows an input has, how many of them have nothing to send, and how many of these an option leaves out. */
interface Counted {
  readonly rows: number;
  readonly skipped: number;
  readonly leftOut: number;
}

/** Throws if an input may be no export, because no row has anything to send, or its only line may be a message. */
export function refuseNothingSent(
  { rows, skipped, leftOut }: Counted,
  columns: readonly PlannedColumn[],
  { otherColumns }: FieldOptions,
  place: ColumnsPlace,
): void {
  if (rows === 0 && columns.length > 0) refuseMessage(columns, otherColumns, place);
  if (rows === 0 || skipped < rows) return;
  if (columns.length > 0) refuseNoField(columns, place);
  // A file of nothing but a total, which is left out each night, is an ordinary one.
  if (leftOut > 0) return;
  const text = `${place.file}: no row has anything to send: ${rows === 1 ? "its only row is" : `all ${rows} rows are`} blank, or nothing but a key`;
  throw new RecPushError("input", "no-field", text, {
    place: { file: place.file },
    hint: "look at the file, and export it again",
  });
}

/** In a file without rows a declared column is needed; if all columns are sent, several make a header too. */
function refuseMessage(
  columns: readonly PlannedColumn[],
  otherColumns: FieldOptions["otherColumns"],
  { file, noun }: ColumnsPlace,
): void {
  const isDeclared = columns.some(({ use, isOther }) => use === "field" && !isOther);
  const isSent = otherColumns === "send" && columns.length > 1;
  if (isDeclared || isSent || noun === "member") return;
  const names = listSome(columns.map(({ header }) => quoteText(header)));
  const text = `${file}: it has no rows, and no declared column: ${names} may be a message instead of a header`;
  throw new RecPushError("input", "no-field", text, {
    place: { file },
    hint: "look at the file, and export it again; --map COLUMN=field declares a column",
  });
}

/** No column except the key goes to a field. */
function refuseNoField(columns: readonly PlannedColumn[], place: ColumnsPlace): void {
  if (columns.some(({ use, field }) => use === "field" && field !== KEY_FIELD)) return;
  const { file, noun } = place;
  const unused = columns.filter(
    ({ use, name }) => (use === "dropped" || use === "undecided") && !isMarkerColumn(name),
  );
  const names = listSome(unused.map((column) => showColumn(column, place)));
  const text = unused.length === 0 ? `there is no other ${noun}` : `left out: ${names}`;
  throw new RecPushError("input", "no-field", `${file}: no row has anything to send: ${text}`, {
    place: { file },
    hint: `--map COLUMN=field names the ${noun}s to send, --other-columns send sends all`,
  });
}

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
  add({ count, slots }: Pick<GivenValues, "count" | "slots">, line: number): void {
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

/** Remembers which members of JSON rows held objects or arrays in place of a plain value. */
export class NestedWatch {
  readonly #kinds = new Map<number, Set<NestedValue["what"]>>();

  /** Adds a row that is invalid. */
  add({ cells, columns }: Row): void {
    for (const [at, cell] of cells.entries()) {
      if (!(cell instanceof NestedValue)) continue;
      const index = columns?.[at] ?? at;
      const kinds = this.#kinds.get(index) ?? new Set();
      this.#kinds.set(index, kinds.add(cell.what));
    }
  }

  /** The question to ask if no row can be sent because of such members; `undefined` if there are none. */
  fault(planned: readonly PlannedColumn[], place: ColumnsPlace): ColumnFault | undefined {
    const asked = planned.filter(({ index, use }) => use !== "dropped" && this.#kinds.has(index));
    if (asked.length === 0) return undefined;
    if (!planned.some(({ index, use }) => use === "field" && !this.#kinds.has(index)))
      return askPath(asked, place);
    const isArray = ({ index }: PlannedColumn): boolean => this.#kinds.get(index)!.has("array");
    const dropped = asked.filter(isArray);
    const flattened = asked.filter((column) => !isArray(column));
    const list = asked.map(
      (column) => `${showColumn(column, place)} (${isArray(column) ? "array" : "object"})`,
    );
    const drops = dropped.map(({ name }) => `--drop ${quoteWord(name)}`);
    const remarks = [
      flattened.length === 0
        ? []
        : [
            `--flatten sends ${flattened[0]!.name}.x as ${flattened[0]!.name}_x; ` +
              `${flattened.map(({ name }) => `--drop ${quoteWord(name)}`).join(" ")} leaves the members out instead`,
          ],
      // A path begins at the whole file, or at each line of NDJSON.
      dropped.length === 0 || place.isOneALine !== true
        ? []
        : [`--json-path ${quoteWord(dropped[0]!.name)} sends the records in the array instead`],
    ];
    return {
      kind: "input",
      code: "nested-members",
      text: `a record holds plain values only, and every row has ${list.join(", ")}`,
      options: flattened.length === 0 ? drops : ["--flatten", ...drops],
      remark: remarks.flat().join("; "),
    };
  }
}

/** Without them nothing would be left: they hold the records. */
function askPath(asked: readonly PlannedColumn[], place: ColumnsPlace): ColumnFault {
  const paths = asked.map(({ name }) => `--json-path ${quoteWord(name)}`);
  return {
    kind: "input",
    code: "nested-members",
    text: `the rows have nothing but ${asked.map((column) => showColumn(column, place)).join(", ")}, and no plain value`,
    ...(paths.length === 1
      ? { options: paths }
      : { remark: `${paths.join(" or ")} says where the records are; --flatten makes one of all` }),
  };
}
