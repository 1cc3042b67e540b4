import { createHash, type Hash } from "node:crypto";
import { COMMA, DOT } from "../fields/amount/amount.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import type { FormatSpec } from "../fields/survey/column-format.ts";
import { type ColumnReport, markOf, type SurveyReport } from "../model/counts.ts";
import { interruption } from "../model/failure.ts";
import { expandJsonNumber, QUOTED } from "../model/rows.ts";
import {
  countMarkers,
  isMarkerColumn,
  markerColumns,
  REJECTED_VALUE,
  type RowsKind,
} from "../model/marker-columns.ts";
import { type Dialect, OWN_DIALECT, type Reading, SHEET_FILE_DIALECT } from "../model/reading.ts";
import { CsvCells } from "../read/csv/csv-cells.ts";
import { RowScan, toGrammar } from "../read/csv/scan-row.ts";
import type { splitMembers } from "../read/json/json-members.ts";
import type { Inspection } from "../read/inspect-source.ts";
import { openContent } from "../read/read-rows.ts";
import { ContentCursor, createEncoder } from "../read/text/content-cursor.ts";
import { PrivateFile } from "../store/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** A file of rows that is complete, but not yet in its place. */
export interface CompleteFile {
  readonly kind: RowsKind;
  readonly sha256: string;
  /** Equal for files of the same rows with the same reasons, from any run. */
  readonly rowsSum: string;
  readonly rows: number;
}

/** A file of rows in its place; a file without rows is not made. */
export interface RowsFile {
  readonly path: string;
  readonly rows: number;
}

/** A row to be written: the bytes of the content that it spans, and one cell for each of the columns that the kind adds. */
export interface PlacedRow {
  readonly start: number;
  readonly end: number;
  readonly cells: AddedCells;
}

/** Where rows go. */
interface RowsTarget {
  readonly kind: RowsKind;
  /** Where the file is written before it is moved to its place. */
  readonly draft: string;
  /** Called with the file before it is moved to its place; returns its path, in the same directory. */
  readonly place: (file: CompleteFile) => Promise<string>;
  /** An interruption is thrown once it is set. */
  readonly abort: AbortSignal;
}

/**
 * Writes rows of one input, which come in file order: in its own format and encoding, the text copied unchanged. Returns
 * `undefined` if there are none.
 */
export async function writeRows(
  input: SurveyedInput,
  placed: AsyncIterable<PlacedRow>,
  { kind, draft, place, abort }: RowsTarget,
): Promise<RowsFile | undefined> {
  const { source, inspection, part } = input;
  const { reading } = inspection;
  const format = await rejectsFormat(input);
  const cursor = new ContentCursor(part?.rows() ?? openContent(source, inspection));
  const encode = createEncoder(reading.encoding);
  const mark = encode(inspection.hasMark ? BYTE_ORDER_MARK : "");
  const head = Buffer.concat([mark, encode(await format.head(cursor, markerColumns(kind)))]);
  const file = new PrivateFile(draft, "rejects");
  const sum = createHash("sha256");
  let rows = 0;
  try {
    for await (const { start, end, cells } of placed) {
      if (abort.aborted) throw interruption();
      if (rows++ === 0) {
        sum.update(head);
        await file.write(head);
      }
      sum.update(JSON.stringify(cells.slice(1)));
      const text = summing(cursor.bytes(start, end), sum);
      for await (const piece of format.row(text, cells)) await file.write(encode(piece));
    }
    if (rows === 0) return undefined;
    const path = await file.commit((sha256) => place({ kind, sha256, rowsSum: sum.digest("hex"), rows }));
    return { path, rows };
  } finally {
    await file.discard();
    await cursor.close();
  }
}

/** Without it, spreadsheets read UTF-8 as a legacy code page. */
const BYTE_ORDER_MARK = "\ufeff";

async function* summing(text: AsyncIterable<Buffer>, sum: Hash): AsyncGenerator<Buffer> {
  for await (const piece of text) {
    sum.update(piece);
    yield piece;
  }
}

async function rejectsFormat({ inspection, plan, report }: SurveyedInput): Promise<RejectsFormat> {
  const { reading } = inspection;
  if (reading.format === "xlsx") return new SheetRejects(reading, plan, mendedDecimal(report));
  if (reading.format === "csv") return new CsvRejects(inspection);
  // The module that read the input is loaded already.
  const { splitMembers } = await import("../read/json/read-json.ts");
  return new JsonRejects(splitMembers);
}

const OPENING_BRACE = 0x7b;

/** Rows of JSON of any shape, as NDJSON: the members that are added, then those of the record unchanged. */
class JsonRejects implements RejectsFormat {
  readonly #splitMembers: typeof splitMembers;
  #names: readonly string[] = [];

  constructor(split: typeof splitMembers) {
    this.#splitMembers = split;
  }

  head(_: ContentCursor, added: readonly string[]): Promise<Buffer> {
    this.#names = added;
    return Promise.resolve(Buffer.alloc(0));
  }

  async *row(text: AsyncIterable<Buffer>, added: AddedCells): AsyncGenerator<Buffer> {
    const spell = (cells: AddedCells): string =>
      `{${this.#names.map((name, at) => `"${name}":${JSON.stringify(cells[at])}`).join(",")}`;
    const held: Buffer[] = [];
    let isRecord: boolean | undefined;
    for await (const piece of text) {
      if (isRecord === undefined) {
        isRecord = piece[0] === OPENING_BRACE;
        if (!isRecord) yield Buffer.from(`${spell(added)},"${REJECTED_VALUE}":`);
      }
      // A record is never longer than the limit for a row; broken text in its place may be.
      if (isRecord) held.push(piece);
      else yield piece.filter((byte) => byte !== 0x0a && byte !== 0x0d) as Buffer;
    }
    if (isRecord === true) {
      const members = this.#splitMembers(Buffer.concat(held).toString());
      yield Buffer.from(spell(added));
      for (const { name, source } of members) if (!isMarkerColumn(name)) yield Buffer.from(`,${source}`);
    }
    yield Buffer.from("}\n");
  }
}

const GRAMMAR = toGrammar(OWN_DIALECT);
const { delimiter: DELIMITER } = SHEET_FILE_DIALECT;
const LINE_END = "\n";

/**
 * Rows of a workbook as a CSV that spreadsheets open: the header, then each row after the cells that are added. A CSV has no numbers, so that each is written as
 * the mended file will be read: with the decimal mark of its column, keys and digits without exponent.
 */
export class SheetRejects implements RejectsFormat {
  readonly #columns: readonly string[];
  /** By column. */
  readonly #specs: ReadonlyMap<number, FormatSpec>;
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
    const cells = this.#cells(Buffer.concat(pieces));
    const before = added.map((cell) => (typeof cell === "string" ? quote(cell) : String(cell)));
    yield Buffer.from([...before, ...cells.slice(this.#firstColumn)].join(DELIMITER) + LINE_END);
  }

  /** A workbook may hold the rows of a rejects file: its added cells are left out. */
  get #firstColumn(): number {
    return countMarkers(this.#columns);
  }

  #cells(row: Buffer): string[] {
    const cells = new CsvCells(row, GRAMMAR);
    const scan = new RowScan(GRAMMAR, cells);
    scan.moveTo(cells, true);
    scan.scan(0, row.length, 0);
    cells.count = scan.width;
    // Cells missing at the end of a row are empty.
    return Array.from({ length: Math.max(scan.width, this.#columns.length) }, (_, column) =>
      column >= scan.width
        ? ""
        : (cells.marks[column]! & QUOTED) === 0
          ? this.#number(cells.text(column), this.#specs.get(column))
          : cells.source(column),
    );
  }

  #number(source: string, spec: FormatSpec | undefined): string {
    if (spec === undefined || spec.kind === "text" || !/^-?\d/.test(source)) return source;
    const plain = expandJsonNumber(source) ?? source;
    if (spec.kind !== "amount") return plain.replace(/\.0+$/, "");
    const isComma = spec.marks === COMMA || (spec.marks !== DOT && this.#decimal === ",");
    return isComma ? quote(plain.replace(".", ",")) : plain;
  }
}

/** Always in quotes, so that any text is one cell. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** The cells in front never take more, because the length of a reason is limited. */
const MOST_OWN_BYTES = 65_536;

/**
 * The rows of a CSV in its own dialect: the lines above the data unchanged, with columns before those of the header, then
 * each row unchanged after the cells of these. From rows of a rejects file, the cells added earlier are left out.
 */
class CsvRejects implements RejectsFormat {
  readonly #dialect: Dialect;
  readonly #columns: readonly string[];
  /** How many columns a rejects file put before the others. */
  readonly #own: number;
  readonly #places: Inspection["places"];
  #lineEnd = "\n";

  constructor({ reading: { dialect, columns }, places }: Inspection) {
    this.#dialect = dialect!;
    this.#columns = columns;
    this.#own = countMarkers(columns);
    this.#places = places;
  }

  async head(cursor: ContentCursor, added: readonly string[]): Promise<Buffer> {
    const { headerLine, delimiter } = this.#dialect;
    const { headerStart, dataStart } = this.#places;
    const above = await cursor.read(0, headerStart);
    const header = await cursor.read(headerStart, dataStart);
    const isNamed = headerLine !== undefined;
    this.#lineEnd = lineEndOf(isNamed ? header : above) ?? this.#lineEnd;
    const names = isNamed ? this.#withoutOwn(header) : this.#columns.join(delimiter);
    const before = added.map((name) => `${name}${delimiter}`).join("");
    const text = Buffer.concat([Buffer.from(before), Buffer.from(names)]);
    return Buffer.concat([above, ended(text, this.#lineEnd)]);
  }

  async *row(text: AsyncIterable<Buffer>, added: AddedCells): AsyncGenerator<Buffer> {
    const pieces = text[Symbol.asyncIterator]();
    let held: Buffer = Buffer.alloc(0);
    while (this.#own > 0 && held.length <= MOST_OWN_BYTES) {
      const { value, done } = await pieces.next();
      if (done === true) break;
      held = Buffer.concat([held, value]);
    }
    const rest = this.#withoutOwn(held);
    const cells = added.map((cell) => `${this.#cell(String(cell))}${this.#dialect.delimiter}`);
    yield Buffer.from(cells.join(""));
    yield rest;
    let isEnded = isLineEnd(rest.at(-1));
    for await (const piece of { [Symbol.asyncIterator]: () => pieces }) {
      yield piece;
      isEnded = isLineEnd(piece.at(-1));
    }
    if (!isEnded) yield Buffer.from(this.#lineEnd);
  }

  /** A row without the cells that a rejects file put before it; it stays whole if they cannot be found. */
  #withoutOwn(row: Buffer): Buffer {
    const count = this.#own;
    if (count === 0) return row;
    const grammar = toGrammar(this.#dialect);
    const cells = new CsvCells(row, grammar);
    const scan = new RowScan(grammar, cells);
    scan.moveTo(cells, true);
    const result = scan.scan(0, row.length, 0);
    if (scan.width < count || (result === "row" && scan.width === count)) return row;
    cells.count = scan.width;
    const end = cells.ends[count - 1]! + (cells.marks[count - 1]! & QUOTED);
    return row.subarray(end + grammar.delimiter.length);
  }

  /** A reason is always quoted, because it has blanks: so a rejects file shows how its dialect quotes. */
  #cell(text: string): string {
    if (/^[\w-]*$/.test(text)) return text;
    const { quote, escape, delimiter } = this.#dialect;
    if (quote === "") return text.replaceAll(delimiter, " ").replaceAll(/[\r\n]+/g, " ");
    const escaped = escape === "\\" ? text.replaceAll("\\", "\\\\") : text;
    return `${quote}${escaped.replaceAll(quote, `${escape}${quote}`)}${quote}`;
  }
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d;
}

function lineEndOf(text: Buffer): string | undefined {
  return /(?:\r\n|\n|\r)$/.exec(text.toString("latin1", Math.max(0, text.length - 2)))?.[0];
}

function ended(text: Buffer, lineEnd: string): Buffer {
  return isLineEnd(text.at(-1)) ? text : Buffer.concat([text, Buffer.from(lineEnd)]);
}

/** What is written before the cells of a row, one for each of the columns that are added. */
type AddedCells = readonly (string | number)[];

/** How a file of rows is written, as UTF-8: text is copied from the content, never rebuilt from parsed cells. */
interface RejectsFormat {
  /** The text above the rows; to be asked for first. `added`: the names of the columns before those of the input. */
  readonly head: (cursor: ContentCursor, added: readonly string[]) => Promise<Buffer>;
  /** One row with its line end, from its text in the content. */
  readonly row: (text: AsyncIterable<Buffer>, added: AddedCells) => AsyncIterable<Buffer>;
}

/** The one decimal mark that all amounts settled on; `undefined` for several, or if a column shows none. */
function decimalOf(columns: readonly ColumnReport[]): "," | "." | undefined {
  const marks = new Set(columns.flatMap(({ type, format }) => (type === "amount" ? [format] : [])));
  const [only] = marks;
  return only === undefined || marks.size > 1 ? undefined : markOf(only);
}

/**
 * The mark of the amounts in a rejects file: the numbers of a workbook have a point in that file unless its texts settled
 * on a comma.
 */
function mendedDecimal({ reading: { format }, columns }: SurveyReport): "," | "." | undefined {
  const settled = columns.some(({ type, format: mark }) => type === "amount" && mark !== undefined);
  const isOwn = format === "xlsx" && !settled && columns.some(({ type }) => type === "amount");
  return isOwn ? "." : decimalOf(columns);
}
