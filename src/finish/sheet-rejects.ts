import { expandJsonNumber } from "../model/json-number.ts";
import { COMMA, DOT } from "../fields/amount/decimal-mark.ts";
import type { FieldPlan, FieldSpec } from "../fields/record/field-plan.ts";
import { countMarkers } from "../model/marker-columns.ts";
import { OWN_DIALECT, SHEET_FILE_DIALECT, type Reading } from "../model/reading.ts";
import { QUOTED } from "../model/row.ts";
import { CsvCells } from "../read/csv/csv-cells.ts";
import { toGrammar } from "../read/csv/csv-grammar.ts";
import { RowScan } from "../read/csv/scan-row.ts";
import type { ContentCursor } from "../read/text/content-cursor.ts";
import type { AddedCells, RejectsFormat } from "./rejects-format.ts";

const GRAMMAR = toGrammar(OWN_DIALECT);
const { delimiter: DELIMITER } = SHEET_FILE_DIALECT;
/** Without it, spreadsheets read UTF-8 as a legacy code page. */
const BYTE_ORDER_MARK = "\ufeff";
const LINE_END = "\n";

/**
 * Rows of a workbook as a CSV that spreadsheets open: the header, then each row after the cells that are added. A CSV has no numbers, so that each is written as
 * the mended file will be read: with the decimal mark of its column, keys and digits without exponent.
 */
export class SheetRejects implements RejectsFormat {
  readonly #columns: readonly string[];
  /** By column. */
  readonly #specs: ReadonlyMap<number, FieldSpec>;
  readonly #decimal: "," | "." | undefined;

  constructor({ columns }: Reading, { fields, parts }: FieldPlan, decimal: "," | "." | undefined) {
    this.#columns = columns;
    this.#specs = new Map(fields.map(({ index }, at) => [index, parts.specs[at]!]));
    this.#decimal = decimal;
  }

  head(_: ContentCursor, added: readonly string[]): Promise<Buffer> {
    const names = this.#columns.slice(this.#firstColumn).map(quote);
    return Promise.resolve(Buffer.from(BYTE_ORDER_MARK + [...added, ...names].join(DELIMITER) + LINE_END));
  }

  async *row(text: AsyncIterable<Buffer>, added: AddedCells): AsyncGenerator<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of text) pieces.push(Buffer.from(piece));
    const own = added.map((cell) => (typeof cell === "string" ? quote(cell) : String(cell)));
    yield Buffer.from([...own, ...this.#cells(Buffer.concat(pieces))].join(DELIMITER) + LINE_END);
  }

  /** A workbook may hold the rows of a rejects file: they lose the cells that it put before them. */
  get #firstColumn(): number {
    return countMarkers(this.#columns);
  }

  #cells(row: Buffer): string[] {
    const cells = new CsvCells(row, GRAMMAR);
    const scan = new RowScan(GRAMMAR, cells);
    scan.moveTo(cells, true);
    scan.scan(0, row.length, 0);
    cells.count = scan.width;
    const written = Array.from({ length: scan.width }, (_, column) =>
      (cells.marks[column]! & QUOTED) === 0
        ? this.#number(cells.text(column), this.#specs.get(column))
        : cells.source(column),
    );
    return written.slice(this.#firstColumn);
  }

  #number(source: string, spec: FieldSpec | undefined): string {
    if (spec === undefined || spec.kind === "text" || !/^-?\d/.test(source)) return source;
    const plain = expandJsonNumber(source) ?? source;
    if (spec.kind !== "amount") return plain.replace(/\.0+$/, "");
    const isComma = spec.marks === COMMA || (spec.marks !== DOT && this.#decimal === ",");
    return isComma ? quote(plain.replace(".", ",")) : plain;
  }
}

/** In quotes always, so that the text is the cell whatever is in it. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
