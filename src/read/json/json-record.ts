import {
  JsonNumber,
  NestedValue,
  type Cell,
  type Row,
  type RowProblem,
  type UnreadableRow,
} from "../../model/row.ts";
import { JsonColumns } from "./json-columns.ts";
import { showName } from "./json-fault.ts";
import type { JsonScalar } from "./json-listener.ts";
import type { JsonScanner } from "./json-scan.ts";
import { hasHalfPair } from "./json-string.ts";
import { RowCells } from "./row-cells.ts";

const HALF_PAIR = "holds one half of a surrogate pair, which is no character";
const NESTED_OBJECT = new NestedValue("object");
const NESTED_ARRAY = new NestedValue("array");

/** The cell for the scalar that the scanner is at. */
function readCell(scanner: JsonScanner, type: JsonScalar): Cell {
  switch (type) {
    case "string":
      return scanner.token.text();
    case "number":
      return new JsonNumber(scanner.token.text());
    case "null":
      return null;
    case "true":
      return true;
    case "false":
      return false;
  }
}

/** Gathers the members of one object after the other into rows. */
export class JsonRecord {
  readonly columns = new JsonColumns();
  private readonly scanner: JsonScanner;
  /** By column: the number of the last row that had it. */
  private readonly lastSeen: number[] = [];
  private rowNumber = 0;
  private line = 0;
  private offset = 0;
  private ordinal = 0;
  private column = 0;
  private readonly cells = new RowCells();
  private problem: RowProblem | undefined;

  constructor(scanner: JsonScanner) {
    this.scanner = scanner;
  }

  /** Bytes from the row's `{` to the token at hand. */
  get bytes(): number {
    return this.scanner.offset - this.offset;
  }

  /** Place of the row's `{`, for messages. */
  get place(): { readonly file: string; readonly line: number } {
    return { file: this.scanner.window.file, line: this.line };
  }

  /** Begins a row at the `{` that the scanner is at. */
  begin(): void {
    this.rowNumber++;
    this.line = this.scanner.window.line;
    this.offset = this.scanner.offset;
    this.ordinal = 0;
    this.problem = undefined;
  }

  name(): void {
    if (this.scanner.token.hasEscapes && hasHalfPair(this.scanner.token.text())) {
      this.column = -1;
      this.problem ??= {
        line: this.line,
        reason: `the name ${showName(this.scanner.token.text())} ${HALF_PAIR}`,
      };
      return;
    }
    this.column = this.columns.find(this.scanner, this.ordinal++);
    if (this.lastSeen[this.column] === this.rowNumber) {
      this.blame("is given twice in one record", "keep one of the two");
    }
    this.lastSeen[this.column] = this.rowNumber;
  }

  scalar(type: JsonScalar): void {
    const cell = readCell(this.scanner, type);
    if (typeof cell === "string" && this.scanner.token.hasEscapes && hasHalfPair(cell)) {
      this.blame(HALF_PAIR, "write the character out, or both halves of it", cell);
    }
    this.put(cell);
  }

  nested(isObject: boolean): void {
    this.put(isObject ? NESTED_OBJECT : NESTED_ARRAY);
  }

  /** The row as gathered, or why there is none. */
  end(): Row | UnreadableRow {
    const { offset: start } = this;
    const end = this.scanner.offset;
    const { cells, columns } = this.cells.take();
    if (this.problem !== undefined) return { ...this.problem, start, end };
    const { line } = this;
    return columns === undefined ? { line, cells, start, end } : { line, cells, columns, start, end };
  }

  private put(cell: Cell): void {
    if (this.column >= 0) this.cells.put(this.column, cell);
  }

  private blame(reason: string, hint: string, value?: string): void {
    this.problem ??= {
      line: this.line,
      column: this.column + 1,
      header: this.columns.names[this.column]!,
      reason,
      hint,
      ...(value === undefined ? {} : { value }),
    };
  }
}
