import { writeSync } from "node:fs";
import { type FileHandle, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { RecPushError } from "../model/failure.ts";
import type { Origin, Prints } from "../store/book-entries.ts";
import { replaceFile } from "../store/private-file.ts";
import { cannotUse, openOwnFile, syncDirectory } from "../store/state-directory.ts";
import { PRINT_BYTES } from "./comparison-form.ts";

/** Takes one print after the other: `bytes` holds it at `at`, and is reused for the next. */
export type TakePrint = (bytes: Buffer, at: number, isDoubtful: boolean) => void;

/** The same for prints that lie one behind the other, from `from` to `to` of `bytes`. */
export type TakePrints = (bytes: Buffer, from: number, to: number, areDoubtful: boolean) => void;

/** Writes the print that is at `at` of `prints` to the file. */
type PutPrint = (prints: Buffer, at: number) => void;

const BLOCK_BYTES = 1 << 18;
/** The bytes of one print, with that of its identity if there is one. */
export function widthOf({ identity }: Pick<Origin, "identity">): number {
  return identity === undefined ? PRINT_BYTES : 2 * PRINT_BYTES;
}

/** The folder of a table's fingerprints. */
const FOLDER = "prints";

/**
 * Writes prints, whole or not at all; the file counts once the book names it. `directory` is the table's, `name` new there.
 * `facts` are read at the end, so `fill` may still count.
 */
export async function writePrints(
  directory: string,
  name: string,
  facts: Omit<Prints, "name" | "sum">,
  fill: (put: PutPrint) => Promise<void>,
): Promise<Prints> {
  const path = join(directory, FOLDER, name);
  let sum = 0;
  try {
    await makeFolder(directory);
    await replaceFile(path, async ({ fd }) => {
      const width = widthOf(facts);
      const block = Buffer.allocUnsafe(width * Math.floor(BLOCK_BYTES / width));
      let length = 0;
      const write = (part: Buffer): void => {
        sum = crc32(part, sum);
        for (let at = 0; at < part.length;) at += writeSync(fd, part, at);
      };
      await fill((prints, at) => {
        // For so few bytes a call into Node takes longer.
        for (let byte = 0; byte < width; byte++) block[length + byte] = prints[at + byte]!;
        length += width;
        if (length < block.length) return;
        write(block);
        length = 0;
      });
      write(block.subarray(0, length));
    });
  } catch (cause) {
    throw cannotUse(path, cause);
  }
  return { ...facts, name, sum: hex(sum) };
}

async function makeFolder(directory: string): Promise<void> {
  try {
    await mkdir(join(directory, FOLDER), { mode: 0o700 });
    await syncDirectory(directory);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}

/** Removes a file of prints that no book names any more; nothing if it is gone. */
export async function removePrints(directory: string, { name }: Prints): Promise<void> {
  await rm(join(directory, FOLDER, name), { force: true });
}

/** A set of prints that a book names. */
export class LedgerFile {
  readonly facts: Prints;
  /** By which the book knows it. */
  readonly key: string;
  readonly path: string;

  /** `directory` is the table's. */
  constructor(directory: string, key: string, facts: Prints) {
    this.key = key;
    this.path = join(directory, FOLDER, facts.name);
    this.facts = facts;
  }

  /** Passes on the prints in order. Throws a machine error, at the end if the bytes do not match their checksum. */
  async scan(take: TakePrint): Promise<void> {
    const width = widthOf(this.facts);
    await this.scanStretches((bytes, from, to, areDoubtful) => {
      for (let at = from; at < to; at += width) take(bytes, at, areDoubtful);
    });
  }

  /** The same, many at a time. */
  async scanStretches(take: TakePrints): Promise<void> {
    const { certain, doubtful, sum: expected } = this.facts;
    const width = widthOf(this.facts);
    const handle = await this.#open();
    try {
      const { size } = await handle.stat();
      if ((certain + doubtful) * width !== size)
        throw this.#damaged("does not hold as many records as it should");
      const block = Buffer.allocUnsafe(width * Math.floor(BLOCK_BYTES / width));
      const certainBytes = certain * width;
      let sum = 0;
      for (let place = 0; place < size;) {
        const length = Math.min(block.length, size - place);
        if ((await handle.read(block, 0, length, place)).bytesRead !== length)
          throw this.#damaged("ends too early");
        sum = crc32(block.subarray(0, length), sum);
        const doubtfulFrom = Math.max(0, Math.min(certainBytes - place, length));
        if (doubtfulFrom > 0) take(block, 0, doubtfulFrom, false);
        if (doubtfulFrom < length) take(block, doubtfulFrom, length, true);
        place += length;
      }
      if (hex(sum) !== expected) throw this.#damaged("does not match its checksum");
    } finally {
      await handle.close();
    }
  }

  async #open(): Promise<FileHandle> {
    try {
      return await openOwnFile(this.path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") throw this.#damaged("is not there");
      throw cannotUse(this.path, cause);
    }
  }

  /** The error for prints that are lost or damaged, so that it is not known what was created. */
  #damaged(what: string): RecPushError {
    return new RecPushError(
      "machine",
      "ledger-damaged",
      `the ledger of what was created is damaged: ${this.path} ${what}; nothing was sent, because records could be created twice`,
      {
        hint: [
          "restore the state directory from a backup, then run the same command again",
          "or take that part out, and say which of its records are in the service:",
          `  rec-push runs forget ${this.key}`,
          "  rec-push ledger add FILE --table NAME",
        ].join("\n"),
      },
    );
  }
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
