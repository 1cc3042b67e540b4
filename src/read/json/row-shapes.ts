import { MemberPiece } from "./member-piece.ts";
import type { PlacedValue } from "./row-layout.ts";

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
/** More pieces than rows of some shapes have: then the rows are hardly alike. */
const MOST_PIECES = 2000;

/** What may follow a value of a record: another value, behind the bytes of its piece. */
export interface ShapeBranch {
  readonly piece: MemberPiece;
  /** True if the value's column belongs to records and not to answers of a service. */
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
  /** Number of values of the record. */
  readonly count: number;
}

/** A value of a record, and what was met behind it. */
export class ShapeNode {
  /** The longest piece first: a shorter one may begin like it. */
  readonly branches: ShapeBranch[] = [];
  readonly ends: ShapeEnd[] = [];
}

/**
 * The shapes of records: all bytes that are between their values, as a tree. A record whose bytes between the values are
 * those of an earlier one has the same members, nested in the same way.
 */
export class RowShapes {
  /** Where a record begins. */
  root = new ShapeNode();
  #pieces = 0;

  forget(): void {
    this.root = new ShapeNode();
    this.#pieces = 0;
  }

  /**
   * Learns the shape of the record in `bytes`, of which `base` bytes of the input come before; `width` is the number of all
   * columns.
   */
  learn(
    bytes: Buffer,
    base: number,
    row: { readonly start: number; readonly end: number; readonly values: readonly PlacedValue[] },
    { width, isOwn }: { readonly width: number; readonly isOwn: (column: number) => boolean },
  ): void {
    const { start, end, values } = row;
    const last = values.at(-1);
    if (last === undefined || this.#pieces + values.length >= MOST_PIECES) return;
    let node = this.root;
    let from = start - base;
    for (const value of values) {
      const piece = bytes.subarray(from, value.start - base);
      if (piece.includes(CARRIAGE_RETURN)) return;
      node = this.#branch(node, piece, value, isOwn).next;
      from = value.end - base;
    }
    const tail = bytes.subarray(from, end - base);
    if (tail.includes(CARRIAGE_RETURN) || node.ends.some((known) => known.bytes.equals(tail))) return;
    const present = new Set(values.map(({ column }) => column));
    const columns = Array.from({ length: width }, (_, column) => column);
    node.ends.push({
      bytes: Buffer.from(tail),
      lines: tail.filter((byte) => byte === LINE_FEED).length,
      lastLineEnd: tail.lastIndexOf(LINE_FEED),
      absent: columns.filter((column) => !present.has(column)),
      count: values.length,
    });
    this.#pieces++;
  }

  #branch(
    node: ShapeNode,
    bytes: Buffer,
    { column, isWhole }: PlacedValue,
    isOwn: (column: number) => boolean,
  ): ShapeBranch {
    const known = node.branches.find(({ piece }) => piece.column === column && piece.equals(bytes));
    if (known !== undefined) {
      known.isWhole ||= isWhole;
      return known;
    }
    const branch = {
      piece: new MemberPiece(column, bytes),
      isOwn: isOwn(column),
      isWhole,
      next: new ShapeNode(),
    };
    node.branches.push(branch);
    node.branches.sort((left, right) => right.piece.length - left.piece.length);
    this.#pieces++;
    return branch;
  }
}
