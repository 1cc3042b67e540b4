import { BulkTrials } from "../../wasm/bulk-trials.ts";
import { INT_BYTES, RowsInstance } from "../../wasm/rows-instance.ts";
import { ScanMemory } from "../../wasm/scan-memory.ts";
import type { JsonCells } from "./json-cells.ts";
import { MemberPiece, type PlacedValue } from "./member-piece.ts";

/** As in `assembly/scan-records.ts`. */
const NODE_BYTES = 8;
const STEP_BYTES = 24;

/** The bytes between two values of a record, or after the last one. */
type Step = Pick<ShapeEnd, "bytes" | "lines" | "lastLineEnd">;

/** The shapes of records in the memory of an instance; those that were placed last. */
class PlacedShapes {
  readonly #area = RowsInstance.area();
  #shapes: RowShapes | undefined;
  #version = -1;
  #root = 0;
  #next = 0;

  /** Where the root of these shapes is. */
  place(instance: RowsInstance, shapes: RowShapes): number {
    if (this.#shapes !== shapes || this.#version !== shapes.version) {
      this.#shapes = shapes;
      this.#version = shapes.version;
      instance.reserve(this.#area, sizeOf(shapes.root));
      this.#next = this.#area.at;
      this.#root = this.#placeNode(instance.bytes, shapes.root);
    }
    return this.#root;
  }

  #placeNode(memory: Buffer, { branches, ends }: ShapeNode): number {
    const at = this.#allocate(NODE_BYTES + STEP_BYTES * (branches.length + ends.length));
    // A record without a value of its own needs a closer look.
    const tails = ends.filter(({ own }) => own > 0);
    memory.writeInt32LE(branches.length, at);
    memory.writeInt32LE(tails.length, at + INT_BYTES);
    let step = at + NODE_BYTES;
    for (const { piece, next } of branches) {
      this.#placeStep(memory, step, piece, [piece.column, this.#placeNode(memory, next)]);
      step += STEP_BYTES;
    }
    for (const tail of tails) {
      const { absent } = tail;
      this.#placeStep(memory, step, tail, [this.#placeNumbers(memory, absent), absent.length]);
      step += STEP_BYTES;
    }
    return at;
  }

  /** `last`: the column and the next node, or where the absent columns are and their number. */
  #placeStep(
    memory: Buffer,
    at: number,
    { bytes, lines, lastLineEnd }: Step,
    last: readonly [number, number],
  ): void {
    const content = this.#allocate(bytes.length);
    memory.set(bytes, content);
    this.#write(memory, at, [content, bytes.length, lines, lastLineEnd, ...last]);
  }

  #placeNumbers(memory: Buffer, numbers: readonly number[]): number {
    const at = this.#allocate(numbers.length * INT_BYTES);
    this.#write(memory, at, numbers);
    return at;
  }

  #write(memory: Buffer, at: number, numbers: readonly number[]): void {
    for (const [index, number] of numbers.entries()) memory.writeInt32LE(number, at + index * INT_BYTES);
  }

  #allocate(bytes: number): number {
    const at = this.#next;
    this.#next += aligned(bytes);
    return at;
  }
}

function sizeOf({ branches, ends }: ShapeNode): number {
  let size = NODE_BYTES + STEP_BYTES * (branches.length + ends.length);
  for (const { piece, next } of branches) size += aligned(piece.length) + sizeOf(next);
  for (const { bytes, absent } of ends) size += aligned(bytes.length) + aligned(absent.length * INT_BYTES);
  return size;
}

/** The next multiple of four. */
function aligned(bytes: number): number {
  return Math.ceil(bytes / INT_BYTES) * INT_BYTES;
}

/** The byte of its brace, the one after its end, and the line feeds before it. */
export const RECORD_NUMBERS = 3;

/** What is known of records before their values are found. */
export interface RecordRules {
  /** How many columns they have. */
  readonly width: number;
  /** At most so many are found. */
  readonly maxRows: number;
  readonly maxRowBytes: number;
  /** True if there are commas between them. */
  readonly areListed: boolean;
}

/** Records that were found one after another. */
export interface FoundRecords {
  readonly count: number;
  /** Three for each, as `assembly/scan-records.ts` writes them; they last until the next are found. */
  readonly numbers: Int32Array;
  /** Line feeds from the first record to the end of the last one, and where the last of them is. */
  readonly lines: number;
  readonly lastLineEnd: number;
}

/** All scans of a thread share their memory. */
const placed = new PlacedShapes();

/**
 * Finds the values of many records at once, by WebAssembly: those that `AlikeRows` finds one by one, which tests prove. A
 * record with an object, an array or an exponent in it, or built like no earlier one, is left to it.
 */
export class BulkRecords {
  readonly #leastBytes: number | undefined;
  readonly #trials = new BulkTrials();

  /** `leastBytes`: of shorter contents each record is found by itself. */
  constructor(leastBytes?: number) {
    this.#leastBytes = leastBytes;
  }

  /** Finds the records from the brace at `at` on; `undefined` if the first one is left. Their cells are numbered from `firstCell`. */
  find(
    cells: JsonCells,
    at: number,
    firstCell: number,
    shapes: RowShapes,
    rules: RecordRules,
  ): FoundRecords | undefined {
    if (!ScanMemory.canHold(cells.bytes.length, this.#leastBytes) || !this.#trials.isDue()) return undefined;
    const memory = ScanMemory.open();
    if (memory === undefined) return undefined;
    const { exports } = memory.instance;
    const { width, maxRows, maxRowBytes, areListed } = rules;
    memory.load(cells, maxRowBytes);
    exports.setShapes(placed.place(memory.instance, shapes), width, areListed ? 1 : 0);
    const count = exports.scanRecords(at, ScanMemory.atMost(maxRows));
    this.#trials.note(count);
    if (count === 0) return undefined;
    memory.copy(count * width, cells, firstCell);
    const { lines, lastLineEnd } = exports;
    return {
      count,
      numbers: memory.rows(count, RECORD_NUMBERS),
      lines: lines.value,
      lastLineEnd: lastLineEnd.value,
    };
  }
}

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
/** Rows with more pieces than these, or longer ones, are hardly alike. */
const MOST_PIECES = 2000;
const MOST_BYTES = 1_048_576;
/** Comparing more pieces with what follows a value would take longer than scanning it. */
const MOST_BRANCHES = 32;
/** A row may omit this many columns, plus as many as it has values: it takes memory for each of them. */
const MOST_LEFT_OUT = 64;

/** What may follow a value of a record: another value, behind the bytes of its piece. */
export interface ShapeBranch {
  readonly piece: MemberPiece;
  /** True if the value's column belongs to records. */
  readonly isOwn: boolean;
  /** See {@link PlacedValue.isWhole}. */
  isWhole: boolean;
  readonly next: ShapeNode;
}

/** The end of a record: the bytes from its last value to its closing brace. */
export interface ShapeEnd {
  readonly bytes: Buffer;
  /** Number of its line feeds, and the offset of the last one. */
  readonly lines: number;
  readonly lastLineEnd: number;
  /** The columns of which the record has no value. */
  readonly absent: readonly number[];
  /** Number of its values in columns that belong to records and not to answers of a service. */
  readonly own: number;
}

/** A value of a record, and what was met behind it. */
export class ShapeNode {
  /** The longest piece first: a shorter one may begin like it. */
  readonly branches: ShapeBranch[] = [];
  readonly ends: ShapeEnd[] = [];
}

/** The bytes of a record, and where its values are in them. */
export interface LaidOutRow {
  readonly bytes: Buffer;
  /** Places are relative to the first of the bytes. */
  readonly values: readonly PlacedValue[];
}

/** The columns of all records so far. */
export interface ShapeColumns {
  readonly count: number;
  readonly isOwn: (column: number) => boolean;
}

/**
 * The shapes of records: all bytes that are between their values, as a tree. A record whose bytes between the values are
 * those of an earlier one has the same members, nested in the same way.
 */
export class RowShapes {
  /** Where a record begins. */
  root = new ShapeNode();
  /** Rises with each change. */
  version = 0;
  #pieces = 0;
  #bytes = 0;

  forget(): void {
    this.root = new ShapeNode();
    this.#pieces = 0;
    this.#bytes = 0;
    this.version++;
  }

  /** Learns the shape of a record. */
  learn({ bytes, values }: LaidOutRow, columns: ShapeColumns): void {
    if (values.length === 0 || columns.count > 2 * values.length + MOST_LEFT_OUT) return;
    let node: ShapeNode | undefined = this.root;
    let from = 0;
    for (const value of values) {
      node = this.#goOn(node, bytes.subarray(from, value.start), value, columns);
      if (node === undefined) return;
      from = value.end;
    }
    const tail = bytes.subarray(from);
    if (node.ends.some((known) => known.bytes.equals(tail)) || !this.#hasRoom(tail)) return;
    const present = new Set(values.map(({ column }) => column));
    const all = Array.from({ length: columns.count }, (_, column) => column);
    this.version++;
    node.ends.push({
      bytes: Buffer.from(tail),
      lines: tail.filter((byte) => byte === LINE_FEED).length,
      lastLineEnd: tail.lastIndexOf(LINE_FEED),
      absent: all.filter((column) => !present.has(column)),
      own: values.filter(({ column }) => columns.isOwn(column)).length,
    });
  }

  /** The node behind a piece; `undefined` if it cannot be learnt. */
  #goOn(
    { branches }: ShapeNode,
    bytes: Buffer,
    { column, isWhole }: PlacedValue,
    { isOwn }: ShapeColumns,
  ): ShapeNode | undefined {
    const known = branches.find(({ piece }) => piece.equals(bytes));
    if (known !== undefined) {
      known.isWhole ||= isWhole;
      return known.next;
    }
    if (branches.length === MOST_BRANCHES || !this.#hasRoom(bytes)) return undefined;
    this.version++;
    const next = new ShapeNode();
    branches.push({ piece: new MemberPiece(column, bytes), isOwn: isOwn(column), isWhole, next });
    branches.sort((left, right) => right.piece.length - left.piece.length);
    return next;
  }

  /** Counts a piece, if it can be kept; one with a carriage return is left to the strict scanner. */
  #hasRoom(piece: Buffer): boolean {
    if (this.#pieces === MOST_PIECES || this.#bytes + piece.length > MOST_BYTES) return false;
    if (piece.includes(CARRIAGE_RETURN)) return false;
    this.#pieces++;
    this.#bytes += piece.length;
    return true;
  }
}
