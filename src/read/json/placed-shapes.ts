import { INT_BYTES, RowsInstance } from "../../wasm/rows-instance.ts";
import type { RowShapes, ShapeEnd, ShapeNode } from "./row-shapes.ts";

/** As in `assembly/scan-records.ts`. */
const NODE_BYTES = 8;
const STEP_BYTES = 24;

/** The bytes between two values of a record, or after the last one. */
type Step = Pick<ShapeEnd, "bytes" | "lines" | "lastLineEnd">;

/** The shapes of records in the memory of an instance; those that were placed last. */
export class PlacedShapes {
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
