import { ABSENT, type Cell, JsonNumber, NestedValue, NO_TEXT, type Row } from "../../model/rows.ts";
import { ByteCells, type Rows } from "../rows.ts";

const TRUE = 0x74;
const FALSE = 0x66;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
const NESTED_OBJECT = new NestedValue("object");
const NESTED_ARRAY = new NestedValue("array");

/** The values of some records. */
export class JsonCells extends ByteCells {
  readonly areRowsAdjacent = false;

  put(cell: number, start: number, end: number, mark: number): void {
    this.starts[cell] = start;
    this.ends[cell] = end;
    this.marks[cell] = mark;
  }

  /** Makes room for the cells of one row from `first` on, none of which has a value yet. */
  begin(first: number, width: number): void {
    this.reserve(first + width);
    for (let cell = first; cell < first + width; cell++) this.put(cell, 0, 0, ABSENT | NO_TEXT);
  }

  value(cell: number): Cell {
    const mark = this.marks[cell]!;
    if ((mark & NO_TEXT) === 0) return this.text(cell);
    if ((mark & ABSENT) !== 0) return undefined;
    const start = this.starts[cell]!;
    if (start === this.ends[cell]) return null;
    const first = this.bytes[start]!;
    if (first === TRUE || first === FALSE) return first === TRUE;
    if (first === OPENING_BRACKET) return NESTED_ARRAY;
    return first === OPENING_BRACE ? NESTED_OBJECT : new JsonNumber(this.text(cell));
  }

  protected unescape(start: number, end: number): string {
    return JSON.parse(this.bytes.toString("utf8", start - 1, end + 1)) as string;
  }
}

export type PlacedRows = Rows<JsonCells, Row>;
