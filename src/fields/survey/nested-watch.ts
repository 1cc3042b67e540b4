import { NestedValue, type Row } from "../../model/row.ts";
import { showColumn, type ColumnFault, type ColumnsPlace } from "../columns/column-faults.ts";
import type { PlannedColumn } from "../columns/planned-column.ts";
import { quoteWord } from "../../model/shell-word.ts";

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
