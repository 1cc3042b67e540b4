import { MemberPiece, type PlacedValue } from "./member-piece.ts";

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
  #pieces = 0;
  #bytes = 0;

  forget(): void {
    this.root = new ShapeNode();
    this.#pieces = 0;
    this.#bytes = 0;
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
