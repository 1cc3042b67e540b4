import { randomBytes } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";

/** Numbered heaps of text lines in private files (0600), in the order of adding; whoever made it removes it. */
export class Spill {
  readonly #directory: string;
  readonly #bufferChars: number;
  readonly #heaps = new Map<number, Heap>();
  #heldChars = 0;

  /** `bufferChars` is what all heaps together hold in memory. */
  constructor(directory: string, bufferChars = 1_048_576) {
    this.#directory = directory;
    this.#bufferChars = bufferChars;
  }

  /** The heaps that hold anything. */
  get numbers(): readonly number[] {
    return [...this.#heaps.keys()];
  }

  /** Adds a line, which holds no line feed. */
  add(number: number, line: string): void {
    let heap = this.#heaps.get(number);
    if (heap === undefined)
      this.#heaps.set(number, (heap = { text: "", bytes: 0, handle: undefined, path: "" }));
    heap.text += `${line}\n`;
    heap.bytes += line.length + 1;
    this.#heldChars += line.length + 1;
  }

  /** Writes out what is held, once it is more than may be held. To be called between chunks. */
  async settle(): Promise<void> {
    if (this.#heldChars <= this.#bufferChars) return;
    for (const heap of this.#heaps.values()) await this.#write(heap);
    this.#heldChars = 0;
  }

  /** About how large a heap is. */
  size(number: number): number {
    return this.#heaps.get(number)?.bytes ?? 0;
  }

  /** The lines of one heap, some at a time. */
  async *read(number: number): AsyncGenerator<readonly string[]> {
    const heap = this.#heaps.get(number);
    if (heap?.handle !== undefined) {
      const stream = heap.handle.createReadStream({ start: 0, autoClose: false, encoding: "utf8" });
      let rest = "";
      for await (const piece of stream) {
        const lines = (rest + String(piece)).split("\n");
        rest = lines.pop() ?? "";
        yield lines;
      }
    }
    const lines = (heap?.text ?? "").split("\n");
    lines.pop();
    yield lines;
  }

  async remove(): Promise<void> {
    for (const { handle, path } of this.#heaps.values()) {
      await handle?.close();
      if (handle !== undefined) await rm(path, { force: true });
    }
    this.#heaps.clear();
  }

  async #write(heap: Heap): Promise<void> {
    if (heap.text === "") return;
    try {
      if (heap.handle === undefined) {
        heap.path = join(this.#directory, `keys-${randomBytes(12).toString("hex")}`);
        heap.handle = await open(heap.path, "wx+", 0o600);
      }
      await heap.handle.appendFile(heap.text);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RecPushError(
        "machine",
        "cannot-spool",
        `the keys cannot be kept in ${this.#directory}: ${why}`,
        { hint: "free space there, then run the same command again", cause },
      );
    }
    heap.text = "";
  }
}

interface Heap {
  text: string;
  /** UTF-16 units in all: about its bytes. */
  bytes: number;
  handle: FileHandle | undefined;
  path: string;
}
