import { randomBytes } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { type ComparedAs, widthOf } from "./comparison-form.ts";

const NONE = -1;

/**
 * Numbers prints in the order in which they first come: 96 bits each, in a table of fixed size. Callers keep whatever
 * else belongs to a print by its number.
 */
export class PrintTable {
  /** One more than the largest number. */
  readonly most: number;
  readonly #mask: number;
  /** A hash table with open addressing: at each place the number of a print plus one, or 0 if the place is empty. */
  readonly #places: Uint32Array;
  /** By number: the three words of a print. */
  readonly #words: Int32Array;
  #count = 0;
  /** The buffer seen last, and a view of it: reading words through the view takes a third of the time. */
  #bytes: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#bytes);

  constructor(most: number) {
    this.most = Math.max(most, 1);
    const places = 2 ** Math.ceil(Math.log2(this.most * 2));
    this.#mask = places - 1;
    this.#places = new Uint32Array(places);
    this.#words = new Int32Array(this.most * 3);
  }

  /** The number of the print at `at`; a new print gets the next number. */
  add(bytes: Buffer, at: number): number {
    return this.#find(this.#viewOf(bytes), at, true);
  }

  /** The number of the print at `at`; negative if it has none. */
  find(bytes: Buffer, at: number): number {
    return this.#find(this.#viewOf(bytes), at, false);
  }

  #viewOf(bytes: Buffer): DataView {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    return this.#view;
  }

  #find(prints: DataView, at: number, isAdded: boolean): number {
    const first = prints.getInt32(at, true);
    const second = prints.getInt32(at + 4, true);
    const third = prints.getInt32(at + 8, true);
    const words = this.#words;
    for (let place = second & this.#mask; ; place = (place + 1) & this.#mask) {
      const number = this.#places[place]! - 1;
      if (number < 0) {
        if (!isAdded) return NONE;
        this.#places[place] = this.#count + 1;
        words[this.#count * 3] = first;
        words[this.#count * 3 + 1] = second;
        words[this.#count * 3 + 2] = third;
        return this.#count++;
      }
      if (words[number * 3] === first && words[number * 3 + 1] === second && words[number * 3 + 2] === third)
        return number;
    }
  }
}

/** Which of several parts a print belongs to; prints are spread evenly. */
export function partOf(bytes: Buffer, at: number, parts: number): number {
  return parts === 1 ? 0 : bytes.readUInt32LE(at) % parts;
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

const BLOCK_BYTES = 1 << 18;

/** The prints of the creates of one input, in file order, in a private file (0600) that the caller removes. */
export class PrintSpool {
  readonly hashed: ComparedAs["hashed"];
  readonly width: number;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #block: Buffer;
  #length = 0;
  #written = 0;

  private constructor(path: string, handle: FileHandle, hashed: ComparedAs["hashed"]) {
    this.#path = path;
    this.#handle = handle;
    this.hashed = hashed;
    this.width = widthOf({ hashed });
    this.#block = Buffer.allocUnsafe(this.width * Math.floor(BLOCK_BYTES / this.width));
  }

  /** `hashed`: see {@link ComparedAs}. */
  static async create(directory: string, hashed: ComparedAs["hashed"]): Promise<PrintSpool> {
    const path = join(directory, `prints-${randomBytes(12).toString("hex")}`);
    return new PrintSpool(path, await open(path, "wx+", 0o600), hashed);
  }

  /** How many prints are in it. */
  get count(): number {
    return (this.#written + this.#length) / this.width;
  }

  /** Adds the print that `write` puts at the place passed to it; if a promise is returned, it is to be awaited. */
  add(write: (target: Buffer, at: number) => void): Promise<void> | undefined {
    write(this.#block, this.#length);
    this.#length += this.width;
    return this.#length < this.#block.length ? undefined : this.#flush();
  }

  /** Passes on the prints in order, each with its number, counted from 0. */
  async scan(take: (bytes: Buffer, at: number, number: number) => void): Promise<void> {
    const block = this.#written === 0 ? this.#block : Buffer.allocUnsafe(this.#block.length);
    for (let place = 0; place < this.#written;) {
      const { bytesRead } = await this.#handle.read(
        block,
        0,
        Math.min(block.length, this.#written - place),
        place,
      );
      for (let at = 0; at < bytesRead; at += this.width) take(block, at, (place + at) / this.width);
      place += bytesRead;
    }
    for (let at = 0; at < this.#length; at += this.width)
      take(this.#block, at, (this.#written + at) / this.width);
  }

  async remove(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#path, { force: true });
  }

  async #flush(): Promise<void> {
    try {
      await this.#handle.write(this.#block, 0, this.#length, this.#written);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RecPushError("cannot-spool", `prints cannot be kept in ${this.#path}: ${why}`, {
        hint: "free space there, then run the same command again",
        cause,
      });
    }
    this.#written += this.#length;
    this.#length = 0;
  }
}
