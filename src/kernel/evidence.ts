import { type Cell, type CellSpans, ESCAPED, NO_TEXT, type Row } from "../model/rows.ts";
import { EMPTY, NOTHING, type PlainColumn, PlainRows, type PlainRules, REFUSED } from "./plain-rows.ts";
import { digitsOf } from "./shapes.ts";

/** The evidence in further cells of a known shape: nothing, or a sum, which adds up their digits as whole numbers. */
export type AddAlike = "nothing" | ((digits: number) => void);

/** Sums of cells of at most fifteen digits are passed on at this size, while they are exact. */
const FLUSH_AT = 2e15;

/** A column of a survey. */
interface EvidenceColumn extends PlainColumn {
  /** The careful reader: takes a cell as evidence. */
  readonly take: (cell: Cell, line: number) => unknown;
  /** The evidence in cells like one that was taken; `undefined` if each of them has to be taken. */
  readonly alike: (cell: Cell) => AddAlike | undefined;
  /** True if these bytes of a text are certainly no evidence. */
  readonly isIdle: (bytes: Buffer, start: number, end: number) => boolean;
}

/** Collects the evidence of plain rows: what the careful readers said of cells of the same shapes. */
export class PlainSurvey {
  /** By slot: in how many rows that were taken it has a value. */
  readonly filled: Int32Array;
  readonly #rows: PlainRows;
  readonly #columns: readonly EvidenceColumn[];
  /** By shape. */
  readonly #alike: AddAlike[] = ["nothing"];
  /** By shape: the digits of cells that were not added yet, as whole numbers; -1 if they prove nothing. */
  readonly #sums: number[] = [-1];
  /** By slot. */
  readonly #indexes: Int32Array;

  constructor(columns: readonly EvidenceColumn[], rules: PlainRules) {
    this.#rows = new PlainRows(columns, rules);
    this.#columns = columns;
    this.filled = new Int32Array(columns.length);
    this.#indexes = Int32Array.from(columns, ({ index }) => index);
  }

  /** The cell of the last row's key; -1 without one. */
  get keyCell(): number {
    return this.#rows.keyCell;
  }

  /** The kind of a row: see `plain-rows.ts`. */
  look(spans: CellSpans, firstCell: number, width: number): number {
    return this.#rows.look(spans, firstCell, width);
  }

  /** Takes the cells of the last row of {@link look}. */
  take(spans: CellSpans, firstCell: number, line: number): void {
    const { bytes, starts, ends, marks } = spans;
    const { given, keyCell } = this.#rows;
    for (let slot = 0; slot < given.length; slot++) {
      const shape = given[slot]!;
      if (shape === NOTHING || shape === EMPTY) continue;
      this.filled[slot]! += 1;
      const { index, isIdle, take } = this.#columns[slot]!;
      const cell = firstCell + index;
      if (shape > 0) {
        const sum = this.#sums[shape]!;
        if (sum < 0) continue;
        this.#sums[shape] = sum + digitsOf(bytes, starts[cell]!, ends[cell]!);
        if (sum > FLUSH_AT) this.#flush(shape);
        continue;
      }
      if (cell === keyCell) continue;
      const isPlain = (marks[cell]! & (ESCAPED | NO_TEXT)) === 0;
      if (!isPlain || !isIdle(bytes, starts[cell]!, ends[cell]!)) take(spans.value(cell), line);
    }
  }

  /** Adds the sums of the cells that were taken so far. */
  flush(): void {
    for (let shape = 1; shape < this.#sums.length; shape++) if (this.#sums[shape]! > 0) this.#flush(shape);
  }

  #flush(shape: number): void {
    const add = this.#alike[shape]!;
    if (add === "nothing") return;
    add(this.#sums[shape]!);
    this.#sums[shape] = 0;
  }

  /** Learns from a row whose cells were all taken with care. */
  learn({ spans, firstCell, width }: Row): void {
    for (let slot = 0; slot < this.#columns.length; slot++) {
      const cell = firstCell + this.#indexes[slot]!;
      // Most members of records of many kinds are absent.
      if (spans.starts[cell] === spans.ends[cell]) continue;
      const { kind, index, alike } = this.#columns[slot]!;
      if (kind !== "typed" || index >= width) continue;
      if (this.#rows.isKnown(slot, spans, cell)) continue;
      const added = alike(spans.value(cell));
      const shape = added === undefined ? REFUSED : this.#alike.length;
      if (!this.#rows.learn(slot, spans, cell, shape) || added === undefined) continue;
      this.#alike.push(added);
      this.#sums.push(added === "nothing" ? -1 : 0);
    }
  }
}
