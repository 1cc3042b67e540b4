import { ABSENT, NO_TEXT, type Row } from "../../model/problem-groups.ts";
import type { JsonCells } from "./json-cells.ts";
import type { JsonWindow } from "./json-fault.ts";
import type { JsonRecord } from "./json-record.ts";
import { endOfNested, skipBlanks } from "./nested-end.ts";
import type { PlacedRows } from "./placed-rows.ts";
import { takePlainValue } from "./plain-value.ts";
import { RowShapes, type ShapeBranch, type ShapeEnd, type ShapeNode } from "./row-shapes.ts";

const NO_BYTES: Buffer = Buffer.alloc(0);
const LINE_FEED = 0x0a;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
/** After this many rows without one that is found, only one in {@link TRY_AGAIN} is looked for. */
const MOST_MISSES = 8;
const TRY_AGAIN = 16;

/** What is known of records before their values are found. */
interface RecordRules {
  /** How many columns they have. */
  readonly width: number;
  readonly maxRowBytes: number;
}

/**
 * Finds rows that are built like an earlier one, objects and arrays in them included: only their values differ. It reads
 * them exactly as the strict scanner does, from whose rows it learns. The input is known to be UTF-8.
 */
export class AlikeRows {
  /** The cells of the window that was looked at last. */
  #cells!: JsonCells;
  /** Number of line ends in the row that was looked at last, and the index of the last one. */
  #lines = 0;
  #lastLineEnd = -1;
  readonly #shapes = new RowShapes();
  #bytes = NO_BYTES;
  #view = viewOf(NO_BYTES);
  /** Number of columns when the shapes were learnt. */
  #known = 0;
  /** Number of arrays, and values that hold nothing, in columns that belong to records: they make no record. */
  #idle = 0;
  /** If no row is found, the attempts would cost more than they save. */
  #misses = 0;
  #attempts = 0;

  /**
   * Adds the row whose `{` is at `at`, and returns the index after it; -1 if it is built like no other. `records`: how many
   * are before it.
   */
  take(rows: PlacedRows, window: JsonWindow, at: number, records: number, rules: RecordRules): number {
    const { cells, base, line } = window;
    const { width } = rules;
    if (width !== this.#known) return -1;
    if (this.#cells !== cells) this.#moveTo(cells);
    const place = { cells, firstCell: cells.count, width, base, line, records };
    const end = this.find(at, rules);
    if (end === -1) return -1;
    window.breakLines(this.#lines, this.#lastLineEnd);
    rows.addFound(place, at, end);
    return end;
  }

  /** Finds the row whose `{` is at `start`, and returns what follows it; -1 if it is built like no other. */
  find(start: number, { width, maxRowBytes }: RecordRules): number {
    if (this.#misses > MOST_MISSES && this.#attempts++ % TRY_AGAIN !== 0) return -1;
    const end = this.#scan(start, width);
    const isFound = end !== -1 && end - start <= maxRowBytes;
    this.#misses = isFound ? 0 : this.#misses + 1;
    if (!isFound) return -1;
    this.#cells.count += width;
    return end;
  }

  #scan(start: number, width: number): number {
    const cells = this.#cells;
    const first = cells.count;
    cells.reserve(first + width);
    this.#lines = 0;
    this.#lastLineEnd = -1;
    this.#idle = 0;
    let node = this.#shapes.root;
    let at = start;
    for (;;) {
      const branch = this.#findBranch(node, at);
      if (branch === undefined) break;
      const { piece, next } = branch;
      this.#countLines(piece, at);
      at = this.#takeValue(first + piece.column, at + piece.length, branch);
      if (at === -1) return -1;
      node = next;
    }
    const end = findEnd(node, this.#bytes, at);
    if (end === undefined || end.own === this.#idle) return -1;
    this.#countLines(end, at);
    for (const column of end.absent) cells.put(first + column, 0, 0, ABSENT | NO_TEXT);
    return at + end.bytes.length;
  }

  /** Learns from a row that the strict scanner has read. */
  learn(
    { bytes, base }: JsonWindow,
    { columns, isOwn, layout }: JsonRecord,
    { start, end }: Pick<Row, "start" | "end">,
  ): void {
    const count = columns.names.length;
    // A new name may be that of an empty object, which was not yet a value.
    if (count !== this.#known) this.#shapes.forget();
    this.#known = count;
    // Of a row that came in pieces the first bytes may be gone.
    if (start < base) return;
    const row = { bytes: bytes.subarray(start - base, end - base), values: layout.values };
    this.#shapes.learn(row, { count, isOwn });
  }

  #moveTo(cells: JsonCells): void {
    this.#cells = cells;
    this.#bytes = cells.bytes;
    this.#view = viewOf(cells.bytes);
  }

  #findBranch({ branches }: ShapeNode, at: number): ShapeBranch | undefined {
    for (let index = 0; index < branches.length; index++) {
      const branch = branches[index]!;
      if (branch.piece.isAt(this.#view, at)) return branch;
    }
    return undefined;
  }

  #takeValue(cell: number, from: number, { isOwn, isWhole }: ShapeBranch): number {
    const bytes = this.#bytes;
    const first = bytes[from];
    if (first !== OPENING_BRACKET && first !== OPENING_BRACE) return takePlainValue(this.#cells, cell, from);
    // The members of an object would be columns.
    if (first === OPENING_BRACE && !isWhole) return -1;
    const end = endOfNested(bytes, from);
    if (end === -1) return -1;
    for (let to = from; to < end; to++) {
      if (bytes[to] !== LINE_FEED) continue;
      this.#lines++;
      this.#lastLineEnd = to;
    }
    // What holds nothing is no value.
    const isEmpty = skipBlanks(bytes, from + 1) === end - 1;
    this.#cells.put(cell, from, isEmpty ? from : end, NO_TEXT);
    if (isOwn && (isEmpty || first === OPENING_BRACKET)) this.#idle++;
    return end;
  }

  #countLines(
    { lines, lastLineEnd }: { readonly lines: number; readonly lastLineEnd: number },
    at: number,
  ): void {
    if (lines === 0) return;
    this.#lines += lines;
    this.#lastLineEnd = at + lastLineEnd;
  }
}

function findEnd({ ends }: ShapeNode, bytes: Buffer, at: number): ShapeEnd | undefined {
  for (let index = 0; index < ends.length; index++)
    if (holdsAt(bytes, at, ends[index]!.bytes)) return ends[index];
  return undefined;
}

function holdsAt(bytes: Buffer, at: number, sought: Buffer): boolean {
  for (let index = 0; index < sought.length; index++) if (bytes[at + index] !== sought[index]) return false;
  return true;
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
