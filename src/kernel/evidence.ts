import { type Cell, type CellSpans, ESCAPED, isAt, NO_TEXT, type Row } from "../model/rows.ts";
import {
  CLOSER_LOOK,
  EMPTY,
  NOTHING,
  type PlainColumn,
  PlainRows,
  type PlainRules,
  REFUSED,
} from "./plain-rows.ts";
import { digitsOf } from "./shapes.ts";

/** What further cells of a known shape prove: nothing, or a sum, which takes their digits as whole numbers, added up. */
export type AddAlike = "nothing" | ((digits: number) => void);

/** Cells of at most fifteen digits are added up to this, so that other sums stay exact with it. */
const FLUSH_AT = 2e15;

/** A column of a survey. */
export interface EvidenceColumn extends PlainColumn {
  /** The careful reader: takes a cell as evidence. */
  readonly take: (cell: Cell, line: number) => unknown;
  /** What cells like one that was taken add; `undefined` if each of them has to be taken. */
  readonly alike: (cell: Cell) => AddAlike | undefined;
  /** Of the bytes of a text: true if it certainly is no evidence. */
  readonly isIdle: (bytes: Buffer, start: number, end: number) => boolean;
  /** The cells that are shown; `undefined` once there are enough. */
  readonly samples: () => readonly string[] | undefined;
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
  /** By shape: what `facts` said of its cells. */
  readonly #facts: number[] = [0];
  readonly #factsOf: (spans: CellSpans, cell: number, column: number) => number;
  /** By column. */
  readonly #slots: number[] = [];
  /** By slot: the samples so far; none once there are enough. */
  readonly #samples: (readonly Buffer[] | undefined)[];
  /** The slots that still want samples. */
  #open: readonly number[];

  /** `factsOf`: what else is to be known of all cells of a shape, not 0; 0 if its cells differ. */
  constructor(
    columns: readonly EvidenceColumn[],
    rules: PlainRules,
    factsOf: (spans: CellSpans, cell: number, column: number) => number,
  ) {
    this.#rows = new PlainRows(columns, rules);
    this.#columns = columns;
    this.#factsOf = factsOf;
    for (const [slot, { index }] of columns.entries()) this.#slots[index] = slot;
    this.filled = new Int32Array(columns.length);
    this.#samples = columns.map(() => []);
    this.#open = [...columns.keys()];
  }

  /** The cell of the last row's key; -1 without one. */
  get keyCell(): number {
    return this.#rows.keyCell;
  }

  /** The facts of the last row's cell in a column; 0 if they are not known. */
  facts(column: number): number {
    const slot = this.#slots[column];
    const shape = slot === undefined ? NOTHING : this.#rows.given[slot]!;
    return shape > 0 ? this.#facts[shape]! : 0;
  }

  /** What a row is: see `plain-rows.ts`. */
  look(spans: CellSpans, firstCell: number, width: number): number {
    const kind = this.#rows.look(spans, firstCell, width);
    return kind !== CLOSER_LOOK && this.#open.length > 0 && this.#mayShow(spans, firstCell)
      ? CLOSER_LOOK
      : kind;
  }

  /** Takes the cells of the row that was looked at last. */
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
    for (const [slot, { kind, index, samples, alike }] of this.#columns.entries()) {
      if (this.#samples[slot] !== undefined) {
        this.#samples[slot] = samples()?.map((sample) => Buffer.from(sample));
        if (this.#samples[slot] === undefined) this.#open = this.#open.filter((other) => other !== slot);
      }
      const cell = firstCell + index;
      if (kind !== "typed" || index >= width || spans.starts[cell] === spans.ends[cell]) continue;
      if (this.#rows.isKnown(slot, spans, cell)) continue;
      const added = alike(spans.value(cell));
      const shape = added === undefined ? REFUSED : this.#alike.length;
      if (!this.#rows.learn(slot, spans, cell, shape) || added === undefined) continue;
      this.#alike.push(added);
      this.#sums.push(added === "nothing" ? -1 : 0);
      this.#facts.push(this.#factsOf(spans, cell, index));
    }
  }

  #gives(slot: number): boolean {
    const shape = this.#rows.given[slot]!;
    return shape !== NOTHING && shape !== EMPTY;
  }

  /** True if a cell may become a sample. */
  #mayShow({ bytes, starts, ends }: CellSpans, firstCell: number): boolean {
    for (let at = 0; at < this.#open.length; at++) {
      const slot = this.#open[at]!;
      if (!this.#gives(slot)) continue;
      const cell = firstCell + this.#columns[slot]!.index;
      if (!isAmong(this.#samples[slot]!, bytes, starts[cell]!, ends[cell]!)) return true;
    }
    return false;
  }
}

function isAmong(samples: readonly Buffer[], bytes: Buffer, start: number, end: number): boolean {
  for (let at = 0; at < samples.length; at++) if (isAt(bytes, start, end, samples[at]!)) return true;
  return false;
}
