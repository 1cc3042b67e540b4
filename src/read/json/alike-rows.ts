import { ABSENT, NO_TEXT, type Row } from "../../model/row.ts";
import { JsonCells } from "./json-cells.ts";
import type { JsonColumns } from "./json-columns.ts";
import type { JsonRecord } from "./json-record.ts";
import type { JsonWindow } from "./json-window.ts";
import { endOfNested, skipBlanks } from "./nested-end.ts";
import { takePlainValue } from "./plain-value.ts";
import { RowShapes, type ShapeBranch, type ShapeEnd, type ShapeNode } from "./row-shapes.ts";

const NO_BYTES: Buffer = Buffer.alloc(0);
const LINE_FEED = 0x0a;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
/** After this many rows without one that is found, only one in {@link TRY_AGAIN} is looked for. */
const MOST_MISSES = 8;
const TRY_AGAIN = 16;

/**
 * Finds rows that are built like an earlier one, objects and arrays in them included: only their values differ. It reads
 * them exactly as the strict scanner does, from whose rows it learns. The input is known to be UTF-8.
 */
export class AlikeRows {
  cells = new JsonCells(NO_BYTES, 0);
  /** Number of the row's first cell, and how many cells it has. */
  firstCell = 0;
  width = 0;
  /** Index after the row's closing brace. */
  end = 0;
  /** Number of line ends in the row, and the index of the last one. */
  lines = 0;
  lastLineEnd = -1;
  readonly #shapes = new RowShapes();
  #bytes = NO_BYTES;
  #view = viewOf(NO_BYTES);
  #nextCell = 0;
  /** Number of columns when the shapes were learnt. */
  #known = 0;
  /** Number of arrays, and values that hold nothing, in columns that belong to records: they make no record. */
  #idle = 0;
  /** If no row is found, the attempts would cost more than they save. */
  #misses = 0;
  #attempts = 0;

  /** Finds the row whose `{` is at `start`, if it has at most `maxBytes`. False if it is built like no other. */
  find(bytes: Buffer, start: number, columns: JsonColumns, maxBytes: number): boolean {
    if (this.#misses > MOST_MISSES && this.#attempts++ % TRY_AGAIN !== 0) return false;
    const isFound = this.#scan(bytes, start, columns) && this.end - start <= maxBytes;
    this.#misses = isFound ? 0 : this.#misses + 1;
    return isFound;
  }

  #scan(bytes: Buffer, start: number, { names: { length: width } }: JsonColumns): boolean {
    if (width !== this.#known) return false;
    if (this.#bytes !== bytes) this.#moveTo(bytes);
    const first = this.#nextCell;
    const { cells } = this;
    cells.reserve(first + width);
    this.lines = 0;
    this.lastLineEnd = -1;
    this.#idle = 0;
    let node = this.#shapes.root;
    let at = start;
    for (;;) {
      const branch = this.#findBranch(node, at);
      if (branch === undefined) break;
      const { piece, next } = branch;
      this.#countLines(piece, at);
      at = this.#takeValue(first + piece.column, at + piece.length, branch);
      if (at === -1) return false;
      node = next;
    }
    const end = findEnd(node, bytes, at);
    if (end === undefined || end.own === this.#idle) return false;
    this.#countLines(end, at);
    for (const column of end.absent) cells.put(first + column, 0, 0, ABSENT | NO_TEXT);
    this.firstCell = first;
    this.#nextCell += width;
    this.width = width;
    this.end = at + end.bytes.length;
    return true;
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

  #moveTo(bytes: Buffer): void {
    // The next bytes probably hold about as many cells.
    this.cells = new JsonCells(bytes, Math.ceil(1.1 * this.#nextCell));
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#nextCell = 0;
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
    if (first !== OPENING_BRACKET && first !== OPENING_BRACE) return takePlainValue(this.cells, cell, from);
    // The members of an object would be columns.
    if (first === OPENING_BRACE && !isWhole) return -1;
    const end = endOfNested(bytes, from);
    if (end === -1) return -1;
    for (let to = from; to < end; to++) {
      if (bytes[to] !== LINE_FEED) continue;
      this.lines++;
      this.lastLineEnd = to;
    }
    // What holds nothing is no value.
    const isEmpty = skipBlanks(bytes, from + 1) === end - 1;
    this.cells.put(cell, from, isEmpty ? from : end, NO_TEXT);
    if (isOwn && (isEmpty || first === OPENING_BRACKET)) this.#idle++;
    return end;
  }

  #countLines(
    { lines, lastLineEnd }: { readonly lines: number; readonly lastLineEnd: number },
    at: number,
  ): void {
    if (lines === 0) return;
    this.lines += lines;
    this.lastLineEnd = at + lastLineEnd;
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
