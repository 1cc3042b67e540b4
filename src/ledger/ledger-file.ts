import { writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { crc32 } from "node:zlib";
import { AtomicFile } from "../state/atomic-file.ts";
import { openOwnFile } from "../state/own-file.ts";
import { cannotUse } from "../state/state-directory.ts";
import { PRINT_BYTES, type ComparedAs } from "./comparison-form.ts";
import { ledgerDamaged } from "./ledger-fault.ts";
import { makeLedger, noteFile, type LedgerTarget } from "./ledger-directory.ts";

/** Where some creates of a ledger come from. */
export interface Origin extends Partial<ComparedAs> {
  /**
   * created: a run made them, or may have; added: the user says that they are there; known: creates of others, which the
   * user named since, or which have an identity since; changed: records that differ from the one with their identity, and the user was told of them.
   */
  readonly kind: "created" | "added" | "known" | "changed";
  /** The run that made the file of the ledger. */
  readonly run: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** The input, as named then. */
  readonly file: string;
  readonly dbVersion: string | null;
  readonly target: LedgerTarget;
  /** Of a run: what it pushed, as in its identity. */
  readonly content?: string;
  /** Its rows did not all get there: some were rejected, refused, not sent, or are in doubt. */
  readonly leavesRows: boolean;
  /** Creates of which there is no print, because an earlier version announced them. */
  readonly unjudged: number;
}

/** The facts at the end of a ledger file, after its prints. */
export interface LedgerFacts extends Origin {
  readonly version: 1;
  /** Prints of creates that were made, and after them prints of creates in doubt. */
  readonly certain: number;
  readonly doubtful: number;
}

/** Takes one print after the other: `bytes` holds it at `at`, and is used again for the next. */
export type TakePrint = (bytes: Buffer, at: number, isDoubtful: boolean) => void;

/** Puts the print that is at `at` of `prints` into the file. */
type PutPrint = (prints: Buffer, at: number) => void;

const BLOCK_BYTES = 1 << 18;
/** Longer facts are not written: paths and field names are bounded by far. */
const MOST_FACTS_BYTES = 1 << 16;
/** The sum of the facts, and that of everything, in hex. */
const SUM_CHARS = 18;

/** The bytes of one print, with its identity if there is one. */
export function widthOf({ identity }: Pick<Origin, "identity">): number {
  return identity === undefined ? PRINT_BYTES : 2 * PRINT_BYTES;
}

/** Writes a file of a ledger, whole or not at all, and notes it in the index. */
export async function writeLedgerFile(
  path: string,
  facts: Omit<LedgerFacts, "version">,
  fill: (put: PutPrint) => Promise<void>,
): Promise<void> {
  await writePrints(path, facts, fill);
  await noteFile(dirname(path), basename(path));
}

/** Writes prints as a file of a ledger holds them, whole or not at all. */
export async function writePrints(
  path: string,
  facts: Omit<LedgerFacts, "version">,
  fill: (put: PutPrint) => Promise<void>,
): Promise<void> {
  await makeLedger(dirname(path));
  let sum = 0;
  try {
    const file = await AtomicFile.create(path);
    try {
      const width = widthOf(facts);
      const block = Buffer.allocUnsafe(width * Math.floor(BLOCK_BYTES / width));
      let length = 0;
      const write = (part: Buffer): void => {
        sum = crc32(part, sum);
        for (let at = 0; at < part.length;) at += writeSync(file.fd, part, at);
      };
      await fill((prints, at) => {
        prints.copy(block, length, at, at + width);
        length += width;
        if (length < block.length) return;
        write(block);
        length = 0;
      });
      write(block.subarray(0, length));
      const line = `\n${JSON.stringify({ version: 1, ...facts })}\n`;
      write(Buffer.from(line));
      await file.write(`${hex(crc32(line))} ${hex(sum)}\n`);
      await file.commit();
    } finally {
      await file.discard();
    }
  } catch (cause) {
    throw cannotUse(path, cause);
  }
}

/** A file of a ledger, opened: its facts are read, its prints are read by `scan`. */
export class LedgerFile {
  readonly facts: LedgerFacts;
  readonly path: string;
  readonly #bytes: number;

  private constructor(path: string, facts: LedgerFacts, bytes: number) {
    this.path = path;
    this.facts = facts;
    this.#bytes = bytes;
  }

  /** Reads the facts. Throws a machine error if the file is not there, or not whole. */
  static async open(path: string): Promise<LedgerFile> {
    const handle = await openOrFail(path);
    try {
      const { size } = await handle.stat();
      const tail = Buffer.alloc(Math.min(size, MOST_FACTS_BYTES));
      await handle.read(tail, 0, tail.length, size - tail.length);
      const end = tail.length - SUM_CHARS;
      const start = tail.lastIndexOf(0x0a, end - 2);
      const facts = readFacts(tail.subarray(Math.max(start, 0), end), tail.toString("latin1", end, end + 8));
      if (start < 0 || facts === undefined) throw ledgerDamaged(path, "does not say what it holds");
      const prints = size - tail.length + start;
      if ((facts.certain + facts.doubtful) * widthOf(facts) !== prints)
        throw ledgerDamaged(path, "does not hold as many records as it says");
      return new LedgerFile(path, facts, size);
    } finally {
      await handle.close();
    }
  }

  /** Of its path, the last part. */
  get name(): string {
    return basename(this.path);
  }

  /** Bytes of one print. */
  get width(): number {
    return widthOf(this.facts);
  }

  /** Hands out the prints in order. Throws a machine error, at the end, if the bytes do not fit their sum. */
  async scan(take: TakePrint): Promise<void> {
    const handle = await openOrFail(this.path);
    try {
      const { certain, doubtful } = this.facts;
      const width = widthOf(this.facts);
      const block = Buffer.allocUnsafe(width * Math.floor(BLOCK_BYTES / width));
      const printBytes = (certain + doubtful) * width;
      const certainBytes = certain * width;
      let sum = 0;
      for (let place = 0; place < this.#bytes - SUM_CHARS;) {
        const end = place < printBytes ? printBytes : this.#bytes - SUM_CHARS;
        const length = Math.min(block.length, end - place);
        if ((await handle.read(block, 0, length, place)).bytesRead !== length)
          throw ledgerDamaged(this.path, "ends too early");
        sum = crc32(block.subarray(0, length), sum);
        if (place < printBytes)
          for (let at = 0; at < length; at += width) take(block, at, place + at >= certainBytes);
        place += length;
      }
      const last = Buffer.alloc(SUM_CHARS);
      await handle.read(last, 0, SUM_CHARS, this.#bytes - SUM_CHARS);
      if (last.toString("latin1", SUM_CHARS / 2) !== `${hex(sum)}\n`)
        throw ledgerDamaged(this.path, "does not fit its sum");
    } finally {
      await handle.close();
    }
  }
}

async function openOrFail(path: string): Promise<FileHandle> {
  try {
    return await openOwnFile(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") throw ledgerDamaged(path, "is not there");
    throw cannotUse(path, cause);
  }
}

function readFacts(line: Buffer, sum: string): LedgerFacts | undefined {
  if (hex(crc32(line)) !== sum) return undefined;
  try {
    const facts = JSON.parse(line.toString()) as LedgerFacts;
    return facts.version === 1 ? facts : undefined;
  } catch {
    return undefined;
  }
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
