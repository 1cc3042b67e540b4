import { randomBytes } from "node:crypto";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

/** A page ends before the text that would make it longer. */
const PAGE_BYTES = 65_536;
const END_BYTES = 4;
/** So much of the pages stays in memory; a text may be longer than many pages. */
const MOST_BYTES_HELD = 33_554_432;

/** A stretch of the texts: where each of them ends, then all of them. */
interface Page {
  /** The number of its first text. */
  readonly first: number;
  readonly texts: number;
  readonly fileAt: number;
  readonly bytes: number;
}

/**
 * The texts that the cells of a workbook share, as they are written to a row. They are kept in a file, and the pages of it
 * that were read last in memory.
 */
export class SharedStrings {
  readonly #path: string;
  #fd: number | undefined;
  #fileBytes = 0;
  readonly #pages: Page[] = [];
  /** By page number; the one that was read last is the last. */
  readonly #held = new Map<number, Buffer>();
  #heldBytes = 0;
  /** The texts of the page that is not written yet. */
  #texts: Buffer[] = [];
  #textBytes = 0;
  #count = 0;

  /** `directory` is private; the file in it goes with {@link close}. */
  constructor(directory: string) {
    this.#path = join(directory, `strings-${randomBytes(12).toString("hex")}`);
  }

  get count(): number {
    return this.#count;
  }

  /** Takes the next text as it is written to a row. */
  add(text: Buffer): void {
    const bytes = text.length + END_BYTES;
    if (this.#textBytes + bytes > PAGE_BYTES) this.seal();
    this.#texts.push(text);
    this.#textBytes += bytes;
    this.#count++;
  }

  /** To be called after the last text. */
  seal(): void {
    const texts = this.#texts.length;
    if (texts === 0) return;
    const ends = Buffer.allocUnsafe(texts * END_BYTES);
    let end = ends.length;
    for (const [at, text] of this.#texts.entries()) ends.writeUInt32LE((end += text.length), at * END_BYTES);
    const page = Buffer.concat([ends, ...this.#texts]);
    this.#fd ??= openSync(this.#path, "wx+", 0o600);
    for (let done = 0; done < end;)
      done += writeSync(this.#fd, page, done, end - done, this.#fileBytes + done);
    this.#pages.push({ first: this.#count - texts, texts, fileAt: this.#fileBytes, bytes: end });
    this.#fileBytes += end;
    this.#texts = [];
    this.#textBytes = 0;
  }

  /** A text by its number. */
  find(index: number): Buffer {
    const number = this.#findPage(index);
    const { first, texts } = this.#pages[number]!;
    const page = this.#held.get(number) ?? this.#read(number);
    const at = (index - first) * END_BYTES;
    const start = index === first ? texts * END_BYTES : page.readUInt32LE(at - END_BYTES);
    return page.subarray(start, page.readUInt32LE(at));
  }

  async close(): Promise<void> {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    this.#held.clear();
    await rm(this.#path, { force: true });
  }

  #findPage(index: number): number {
    let low = 0;
    let high = this.#pages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#pages[middle]!.first <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #read(number: number): Buffer {
    const { fileAt, bytes } = this.#pages[number]!;
    // Those that were read first go: texts are used in stretches.
    for (const [other, page] of this.#held) {
      if (this.#heldBytes + bytes <= MOST_BYTES_HELD) break;
      this.#held.delete(other);
      this.#heldBytes -= page.length;
    }
    const page = Buffer.allocUnsafeSlow(bytes);
    for (let done = 0; done < bytes;) {
      const read = readSync(this.#fd!, page, done, bytes - done, fileAt + done);
      if (read === 0) throw new Error("the file of shared texts is cut off");
      done += read;
    }
    this.#held.set(number, page);
    this.#heldBytes += bytes;
    return page;
  }
}
