import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { rm } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import type { CellWriter } from "./cell-writer.ts";

const PAGE_BYTES = 65_536;
/** One text in so many has its place in memory; the others are found from there. */
const TEXTS_A_MARK = 8;
const LENGTH_BYTES = 4;
/** So much of the pages stays in memory; a text may be longer than many pages. */
const MOST_BYTES_HELD = 33_554_432;
/** Pages are parts of larger pieces, which the system gets back at once when they are not needed any more. */
const PIECE_BYTES = 1_048_576;

interface Page {
  /** The number of its first text. */
  readonly first: number;
  /** Where every eighth of its texts begins, counted from its first one. */
  readonly marks: Uint32Array;
  readonly fileAt: number;
  readonly bytes: number;
}

/**
 * The texts that the cells of a workbook share, as they are written to a row. They are kept in a file; pages of it that
 * were used last are in memory.
 */
export class SharedStrings {
  readonly #path: string;
  #fd: number | undefined;
  #fileBytes = 0;
  readonly #pages: Page[] = [];
  /** By page number; the one that was used last is the last. */
  readonly #held = new Map<number, Buffer>();
  #heldBytes = 0;
  /** Memory for pages that none is in. */
  readonly #free: Buffer[] = [];
  #page = this.#newPage(PAGE_BYTES);
  #used = 0;
  #first = 0;
  #marks: number[] = [];
  #count = 0;
  #lastPage = 0;
  #found: Buffer = Buffer.alloc(0);
  #foundStart = 0;
  #foundEnd = 0;

  /** `directory` is private; the file in it goes with {@link close}. */
  constructor(directory: string) {
    this.#path = join(directory, `strings-${randomBytes(12).toString("hex")}`);
  }

  get count(): number {
    return this.#count;
  }

  /** Takes the next text as it is written to a row. */
  add(bytes: Buffer): void {
    const needed = LENGTH_BYTES + bytes.length;
    if (this.#used + needed > this.#page.length && this.#used > 0) this.#endPage();
    if (needed > this.#page.length) {
      this.#leave(this.#page);
      this.#page = this.#newPage(needed);
    }
    if ((this.#count - this.#first) % TEXTS_A_MARK === 0) this.#marks.push(this.#used);
    this.#page.writeUInt32LE(bytes.length, this.#used);
    bytes.copy(this.#page, this.#used + LENGTH_BYTES);
    this.#used += needed;
    this.#count++;
  }

  /** To be called after the last text. */
  seal(): void {
    if (this.#used > 0) this.#endPage();
    this.#page = Buffer.alloc(0);
  }

  /** Finds a text; false if it is empty. */
  find(index: number): boolean {
    const number = this.#findPage(index);
    const { first, marks } = this.#pages[number]!;
    const bytes = this.#hold(number);
    const within = index - first;
    let at = marks[Math.floor(within / TEXTS_A_MARK)]!;
    for (let left = within % TEXTS_A_MARK; left > 0; left--) at += LENGTH_BYTES + bytes.readUInt32LE(at);
    this.#foundStart = at + LENGTH_BYTES;
    this.#foundEnd = this.#foundStart + bytes.readUInt32LE(at);
    this.#found = bytes;
    return this.#foundStart < this.#foundEnd;
  }

  /** Writes the text that was found last to the cell at hand. */
  write(writer: CellWriter): void {
    writer.raw(this.#found, this.#foundStart, this.#foundEnd);
  }

  async close(): Promise<void> {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    this.#held.clear();
    this.#free.length = 0;
    await rm(this.#path, { force: true });
  }

  #endPage(): void {
    const page = this.#page;
    const number = this.#pages.length;
    this.#fd ??= openSync(this.#path, "wx+", 0o600);
    for (let done = 0; done < this.#used;)
      done += writeSync(this.#fd, page, done, this.#used - done, this.#fileBytes + done);
    this.#pages.push({
      first: this.#first,
      marks: Uint32Array.from(this.#marks),
      fileAt: this.#fileBytes,
      bytes: this.#used,
    });
    if (this.#heldBytes + page.length <= MOST_BYTES_HELD) this.#keep(number, page);
    else this.#leave(page);
    this.#fileBytes += this.#used;
    this.#page = this.#newPage(PAGE_BYTES);
    this.#used = 0;
    this.#first = this.#count;
    this.#marks = [];
  }

  /** Texts are asked for about in the order in which they came. */
  #findPage(index: number): number {
    if (this.#holds(this.#lastPage, index)) return this.#lastPage;
    let low = 0;
    let high = this.#pages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#pages[middle]!.first <= index) low = middle;
      else high = middle - 1;
    }
    this.#lastPage = low;
    return low;
  }

  #holds(page: number, index: number): boolean {
    const next = this.#pages[page + 1]?.first ?? this.#count;
    return index >= this.#pages[page]!.first && index < next;
  }

  #hold(number: number): Buffer {
    const held = this.#held.get(number);
    if (held !== undefined) return held;
    const { fileAt, bytes } = this.#pages[number]!;
    // Those that were read first go: pages are used in stretches.
    for (const [other, page] of this.#held) {
      if (this.#heldBytes + bytes <= MOST_BYTES_HELD) break;
      this.#held.delete(other);
      this.#heldBytes -= page.length;
      this.#leave(page);
    }
    const page = this.#newPage(bytes);
    for (let done = 0; done < bytes;) {
      const read = readSync(this.#fd!, page, done, bytes - done, fileAt + done);
      if (read === 0) throw new Error("the file of shared texts is cut off");
      done += read;
    }
    this.#keep(number, page);
    return page;
  }

  #keep(number: number, page: Buffer): void {
    this.#held.set(number, page);
    this.#heldBytes += page.length;
  }

  /** Memory for a page; a text that is longer than one has memory of its own. */
  #newPage(bytes: number): Buffer {
    if (bytes > PAGE_BYTES) return Buffer.allocUnsafeSlow(bytes);
    if (this.#free.length === 0) {
      const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      for (let end = PIECE_BYTES; end > 0; end -= PAGE_BYTES)
        this.#free.push(piece.subarray(end - PAGE_BYTES, end));
    }
    return this.#free.pop()!;
  }

  #leave(page: Buffer): void {
    if (page.length === PAGE_BYTES) this.#free.push(page);
  }
}
