import { isPlainPlan, PlainRecordWriter } from "../../fields/record/plain-records.ts";
import { NOT_PLAIN } from "../../fields/record/plain-cells.ts";
import { compileJson, type RowCounts } from "../../fields/record/record-builder.ts";
import { RowExaminer } from "../../fields/record/examine-row.ts";
import type { FieldPlan } from "../../fields/record/field-plan.ts";
import { MOST_FOOTER_ROWS } from "../../fields/survey/footer-watch.ts";
import { isBlank } from "../../fields/spaces.ts";
import type { RowProblem } from "../../model/row.ts";
import { isPlainDialect } from "../../read/csv/csv-splitter.ts";
import { PlainRowScan } from "../../read/csv/plain-row.ts";
import type { CsvLayout } from "../../read/csv/read-csv-rows.ts";
import { scanCells } from "../../read/csv/scan-cells.ts";
import type { CountedRows } from "./prepare-job.ts";
import type { Allocate, Packed } from "./pack-records.ts";
import { RecordPacker, type PackedPlace } from "./record-packer.ts";

/** How the rows of a pass are judged beyond their plan. */
export interface PlainSettings {
  /** True where rows are counted, and the last ones may turn out to be totals. */
  readonly isOnlyPass: boolean;
  /** True where an invalid row ends the pass. */
  readonly stopsAtInvalid: boolean;
}

/** Rows held back: the next chunk may show that a row is torn, and the end that the last ones are totals. */
const HELD_ROWS = MOST_FOOTER_ROWS;
/** One more, so that a row can be made while those are held. */
const RING = HELD_ROWS + 1;
/** Where so much holds no more rows than are held back, they are too long to be looked at again with each chunk. */
const MOST_HELD_BYTES = 1_048_576;
const LF = 10;
const CR = 13;
const FIRST_BEYOND_ASCII = 0x80;
/** Of UTF-8, for one UTF-16 unit. */
const MOST_BYTES_A_CHAR = 3;

/** True where rows may be taken from bytes to bytes at all. */
export function isPlainInput(plan: FieldPlan, { dialect, surplus, skipFooter }: CsvLayout): boolean {
  const isAscii = dialect.delimiter.charCodeAt(0) < FIRST_BEYOND_ASCII;
  return isPlainDialect(dialect) && isAscii && surplus === 0 && skipFooter === 0 && isPlainPlan(plan);
}

/** A row that was found and not yet made a record. */
class FoundRow extends PlainRowScan {
  start = 0;
  line = 0;
}

/**
 * Makes records of the rows of a CSV as long as they are plain: from bytes to bytes, several times faster than through
 * text. It ends where a row needs more than one look at each byte, and before the last rows of the input; from there on
 * the ordinary way goes on. What it makes is what that would make, as tests prove.
 */
export class PlainPass {
  readonly counts: RowCounts = { rows: 0, updates: 0, creates: 0 };
  /** What is held back, and its first line. */
  rest: Buffer = Buffer.alloc(0);
  line = 1;
  #filled: readonly number[];
  readonly #layout: CsvLayout;
  readonly #settings: PlainSettings;
  readonly #writer: PlainRecordWriter;
  readonly #examiner: RowExaminer;
  readonly #buildJson: () => string;
  readonly #ring: readonly FoundRow[];
  readonly #packer = new RecordPacker();
  #problems: RowProblem[] = [];
  #read = 0;
  #skipped = 0;
  #rejected = 0;

  constructor(plan: FieldPlan, layout: CsvLayout, settings: PlainSettings) {
    const { dialect, columns, maxRowBytes } = layout;
    this.#layout = layout;
    this.#settings = settings;
    this.#writer = new PlainRecordWriter(plan);
    this.#examiner = new RowExaminer(plan.fields, plan.rules);
    this.#buildJson = compileJson(plan, this.#examiner.given);
    // A row within this limit in bytes is within that in characters.
    const limit = Math.floor((maxRowBytes - 2) / MOST_BYTES_A_CHAR);
    this.#ring = Array.from({ length: RING }, () => new FoundRow(dialect, columns.length, limit));
    this.#filled = columns.map((_, index) => index);
  }

  /** Takes the next chunk; false where the pass ends: what it has not made records of is the rest. */
  take(chunk: Buffer): boolean {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let at = this.#passTop(bytes);
    let { line } = this;
    let found = 0;
    let made = 0;
    let goesOn = at !== -1;
    while (goesOn) {
      const row = this.#ring[found % RING]!;
      const what = row.scan(bytes, at);
      if (what === "cut") break;
      if (what === "empty") {
        at = row.end;
        line += 1;
        continue;
      }
      goesOn = what === "row" && !this.#mayBeHeader(bytes, row);
      if (!goesOn) break;
      row.start = at;
      row.line = line;
      at = row.end;
      line += row.lines;
      found += 1;
      if (found - made > HELD_ROWS) {
        goesOn = this.#make(bytes, this.#ring[made % RING]!);
        if (goesOn) made += 1;
      }
    }
    if (found > made) {
      const { start, line: firstLine } = this.#ring[made % RING]!;
      at = start;
      line = firstLine;
    }
    this.rest = at === -1 ? bytes : bytes.subarray(at);
    this.line = line;
    return goesOn && this.rest.length <= MOST_HELD_BYTES;
  }

  /** What was made since it was last asked for. */
  pack(allocate: Allocate): Packed {
    const packed = this.#packer.pack(this.#problems, allocate);
    this.#problems = [];
    return packed;
  }

  /** Rows that were not counted yet; none where another pass has counted them. */
  takeCounted(): CountedRows {
    const counted = { read: this.#read, skipped: this.#skipped, rejected: this.#rejected };
    this.#read = 0;
    this.#skipped = 0;
    this.#rejected = 0;
    return this.#settings.isOnlyPass ? counted : { read: 0, skipped: 0, rejected: 0 };
  }

  /** Columns that no row has left blank; `undefined` without any row, and where that was seen before. */
  get filled(): readonly number[] | undefined {
    return this.#settings.isOnlyPass && this.counts.rows > 0 ? this.#filled : undefined;
  }

  /** Where the first row begins: the lines above the data are no rows. -1 where only the ordinary way knows. */
  #passTop(bytes: Buffer): number {
    let at = 0;
    let { line } = this;
    let cr = bytes.indexOf(CR);
    while (line < this.#layout.dialect.dataLine) {
      const end = bytes.indexOf(LF, at);
      if (cr !== -1 && cr < at) cr = bytes.indexOf(CR, at);
      if (end === -1 || (cr !== -1 && cr < end - 1)) return -1;
      at = end + 1;
      line += 1;
    }
    this.line = line;
    return at;
  }

  // What may begin a second table is left to the ordinary way.
  #mayBeHeader(bytes: Buffer, row: FoundRow): boolean {
    const { columns, dialect, numericColumns } = this.#layout;
    if (dialect.headerLine === undefined) return false;
    const [first] = columns;
    const [telling] = numericColumns;
    if (first !== undefined && isText(bytes, row.starts[0]!, row.ends[0]!, first)) return true;
    if (telling === undefined || row.isEmptyOrHasDigit(bytes, telling)) return false;
    return columns.every((_, index) => !row.isEmptyOrHasDigit(bytes, index));
  }

  /** Makes a record of a row, or a problem; false where the ordinary way has to do it. */
  #make(bytes: Buffer, row: FoundRow): boolean {
    const packer = this.#packer;
    packer.reserve(this.#writer.mostBytes(row.end - row.start));
    const end = row.hasDoubled ? NOT_PLAIN : this.#writer.write(bytes, row, packer.text, packer.at);
    if (end === NOT_PLAIN) {
      if (!this.#lookCloser(bytes, row)) return false;
    } else {
      const { keyStart, keyEnd } = this.#writer;
      packer.addPlain(this.#place(row, keyEnd > keyStart), end, keyStart, keyEnd);
    }
    this.#read += 1;
    if (this.#settings.isOnlyPass) this.#watchFilled(bytes, row);
    return true;
  }

  /** The row as text, judged as every other is. */
  #lookCloser(bytes: Buffer, row: FoundRow): boolean {
    const packer = this.#packer;
    const { start, end, line } = row;
    const text = bytes.toString("utf8", start, end);
    const limits = { isLast: true, maxRowChars: end - start };
    const cells = scanCells(text, line, this.#layout.dialect, limits)?.cells;
    if (cells?.length !== 1) return false;
    const verdict = this.#examiner.examine({ line, cells: cells[0]! });
    if (verdict === "record") {
      const { key } = this.#examiner;
      const json = this.#buildJson();
      packer.reserve(json.length * MOST_BYTES_A_CHAR);
      const written = packer.text.write(json, packer.at);
      packer.add(this.#place(row, key !== undefined), packer.at + written, key);
      return true;
    }
    if (verdict === "skipped") this.#skipped += 1;
    else if (this.#settings.stopsAtInvalid) return false;
    else {
      this.#rejected += 1;
      this.#problems.push(...verdict);
    }
    this.counts.rows += 1;
    return true;
  }

  #place({ line }: FoundRow, hasKey: boolean): PackedPlace {
    const { counts } = this;
    return { line, row: counts.rows++, ordinal: hasKey ? counts.updates++ : counts.creates++ };
  }

  #watchFilled(bytes: Buffer, row: FoundRow): void {
    const filled = this.#filled;
    let at = 0;
    while (at < filled.length && row.isFilled(bytes, filled[at]!)) at += 1;
    if (at === filled.length) return;
    this.#filled = filled.filter(
      (cell) => !isBlank(bytes.toString("utf8", row.starts[cell], row.ends[cell])),
    );
  }
}

function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  // Nearly all differ in their first byte already.
  const first = text.charCodeAt(0);
  if (start < end && first < FIRST_BEYOND_ASCII && bytes[start] !== first) return false;
  return bytes.toString("utf8", start, end) === text;
}
