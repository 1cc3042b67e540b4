import {
  ABSENT,
  type Cell,
  type CellSpans,
  ESCAPED,
  FaultyCell,
  JsonNumber,
  NestedValue,
  NO_TEXT,
  type Row,
  type RowList,
} from "../../src/model/rows.ts";

/** A row of these cells, and their bytes. */
export function madeRow(place: Pick<Row, "line" | "start" | "end">, cells: readonly Cell[]): Row {
  return { ...place, cells, spans: new MadeSpans(cells), firstCell: 0, width: cells.length };
}

class MadeSpans implements CellSpans {
  readonly areRowsAdjacent = false;
  readonly bytes: Buffer;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly marks: Uint8Array;
  readonly #cells: readonly Cell[];

  constructor(cells: readonly Cell[]) {
    const written = cells.map(write);
    let end = 0;
    this.#cells = cells;
    this.bytes = Buffer.concat(written.flatMap(({ bytes }) => [bytes, Buffer.from(";")]));
    this.ends = Int32Array.from(written, ({ bytes }) => (end += bytes.length + 1) - 1);
    this.starts = this.ends.map((to, at) => to - written[at]!.bytes.length);
    this.marks = Uint8Array.from(written, ({ mark }) => mark);
  }

  value(cell: number): Cell {
    return this.#cells[cell];
  }

  text(cell: number): string {
    const value = this.#cells[cell];
    return typeof value === "string" ? value : write(value).bytes.toString();
  }
}

function write(cell: Cell): { readonly bytes: Buffer; readonly mark: number } {
  if (typeof cell === "string") {
    const bytes = Buffer.from(cell);
    return { bytes, mark: bytes.toString() === cell ? 0 : ESCAPED };
  }
  const text =
    cell instanceof JsonNumber
      ? cell.source
      : cell instanceof NestedValue
        ? { object: '{"a":1}', array: "[1]" }[cell.what]
        : cell instanceof FaultyCell
          ? cell.text
          : String(cell ?? "");
  return { bytes: Buffer.from(text), mark: cell === undefined ? NO_TEXT | ABSENT : NO_TEXT };
}

/** Rows that were made one by one. */
export const madeRows = (rows: readonly Row[]): RowList => ({
  length: rows.length,
  row: (at) => rows[at]!,
  line: (at) => rows[at]!.line,
  start: (at) => rows[at]!.start,
  end: (at) => rows[at]!.end,
  spans: (at) => rows[at]!.spans,
  firstCell: (at) => rows[at]!.firstCell,
  width: (at) => rows[at]!.width,
  [Symbol.iterator]: () => rows[Symbol.iterator](),
});
