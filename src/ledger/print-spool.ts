import { readSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";

const BLOCK_BYTES = 1 << 18;

/** The prints of the creates of one input, in file order, in a private file (0600) that the caller removes. */
export class PrintSpool {
  readonly width: number;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #block: Buffer;
  #length = 0;
  #written = 0;
  /** The block that `pick` read last. */
  #picked: { readonly bytes: Buffer; place: number } | undefined;

  private constructor(path: string, handle: FileHandle, width: number) {
    this.#path = path;
    this.#handle = handle;
    this.width = width;
    this.#block = Buffer.allocUnsafe(width * Math.floor(BLOCK_BYTES / width));
  }

  static async create(directory: string, width: number): Promise<PrintSpool> {
    const path = join(directory, `prints-${randomBytes(12).toString("hex")}`);
    return new PrintSpool(path, await open(path, "wx+", 0o600), width);
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

  /** The prints with these numbers, one after the other; fast if the numbers rise. */
  pick(numbers: readonly number[]): Buffer {
    const { width } = this;
    const prints = Buffer.allocUnsafe(numbers.length * width);
    for (const [at, number] of numbers.entries()) {
      const place = number * width;
      const block = place < this.#written ? this.#blockAt(place) : this.#block;
      const from = place % block.length;
      block.copy(prints, at * width, from, from + width);
    }
    return prints;
  }

  /** The written block that contains `place`; all but the last are full. */
  #blockAt(place: number): Buffer {
    const { length } = this.#block;
    const start = place - (place % length);
    this.#picked ??= { bytes: Buffer.allocUnsafe(length), place: -1 };
    const picked = this.#picked;
    if (picked.place === start) return picked.bytes;
    picked.place = -1;
    for (let done = 0; done < length;) {
      const read = readSync(this.#handle.fd, picked.bytes, done, length - done, start + done);
      if (read === 0) throw this.#failure("be read", new Error("the file ends too early"));
      done += read;
    }
    picked.place = start;
    return picked.bytes;
  }

  async remove(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#path, { force: true });
  }

  async #flush(): Promise<void> {
    try {
      await this.#handle.write(this.#block, 0, this.#length, this.#written);
    } catch (cause) {
      throw this.#failure("be kept", cause);
    }
    this.#written += this.#length;
    this.#length = 0;
  }

  #failure(what: string, cause: unknown): RecPushError {
    const why = cause instanceof Error ? cause.message : String(cause);
    return new RecPushError("machine", "cannot-spool", `prints cannot ${what} in ${this.#path}: ${why}`, {
      hint: "free space there, then run the same command again",
      cause,
    });
  }
}
