import { writeSync } from "node:fs";
import { type FileHandle, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { RecPushError } from "../model/failure.ts";
import type { PrintsName } from "../store/book.ts";
import { AtomicFile } from "../store/private-file.ts";
import { cannotUse, openOwnFile, syncDirectory } from "../store/state-directory.ts";
import { type ComparedAs, PRINT_BYTES } from "./comparison-form.ts";
import type { LedgerTarget } from "./ledger-target.ts";

/** Where a set of creates in a ledger comes from. */
export interface Origin extends ComparedAs {
  /**
   * created: a run made them, or may have; added: the user says that they are there; known: creates of other sources,
   * which the user named later, or which got an identity later; changed: records that differ from the one created
   * with their identity, and that the user was told of.
   */
  readonly kind: "created" | "added" | "known" | "changed";
  /** The run that wrote the file of the ledger. */
  readonly run: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** The input, as it was named at the time. */
  readonly file: string;
  readonly dbVersion: string | null;
  readonly target: LedgerTarget;
  /** For a run: the content that it pushed, as in its identity. */
  readonly content?: string;
  /**
   * True if its rows may come again in another file: some were rejected, refused, not sent, or are in doubt, or they
   * are themselves the mended rows of another file.
   */
  readonly leavesRows: boolean;
  /** For a run that left some in doubt: the name of that doubt. */
  readonly doubt?: string;
  /** The number of updates in its file, if there were any: it had a column of keys. */
  readonly updates?: number;
}

/** The facts at the end of a ledger file, after its prints. */
export interface LedgerFacts extends Origin {
  readonly version: 1;
  /** The number of prints of creates that were made; the prints of creates in doubt follow them. */
  readonly certain: number;
  readonly doubtful: number;
}

/** Takes one print after the other: `bytes` holds it at `at`, and is reused for the next. */
export type TakePrint = (bytes: Buffer, at: number, isDoubtful: boolean) => void;

/** The same for prints that lie one behind the other, from `from` to `to` of `bytes`. */
export type TakePrints = (bytes: Buffer, from: number, to: number, areDoubtful: boolean) => void;

/** Writes the print that is at `at` of `prints` to the file. */
type PutPrint = (prints: Buffer, at: number) => void;

const BLOCK_BYTES = 1 << 18;
/** Longer facts are never written: paths and field names are far shorter. */
const MOST_FACTS_BYTES = 1 << 16;
/** The checksums of the facts and of the whole file, in hex. */
const SUM_CHARS = 18;

/** The bytes of one print, with that of its identity if there is one. */
export function widthOf({ identity }: Pick<Origin, "identity">): number {
  return identity === undefined ? PRINT_BYTES : 2 * PRINT_BYTES;
}

/** The folder of a table's fingerprints. */
const FOLDER = "prints";

/**
 * Writes prints, whole or not at all; the file counts once the book names it. `directory` is the table's, `name` new there. The
 * facts come last in the file and are read last, so `fill` may still count.
 */
export async function writePrints(
  directory: string,
  name: string,
  facts: Omit<LedgerFacts, "version">,
  fill: (put: PutPrint) => Promise<void>,
): Promise<PrintsName> {
  const path = join(directory, FOLDER, name);
  let sum = 0;
  try {
    await makeFolder(directory);
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
        // For so few bytes a call into Node takes longer.
        for (let byte = 0; byte < width; byte++) block[length + byte] = prints[at + byte]!;
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
  return { file: name, sum: hex(sum), runKey: facts.target.runKey };
}

async function makeFolder(directory: string): Promise<void> {
  try {
    await mkdir(join(directory, FOLDER), { mode: 0o700 });
    await syncDirectory(directory);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}

/** An open file of a ledger: its facts have been read, its prints are read by `scan`. */
export class LedgerFile {
  readonly facts: LedgerFacts;
  /** By which the book knows it. */
  readonly name: string;
  readonly path: string;
  readonly #bytes: number;

  private constructor(name: string, path: string, facts: LedgerFacts, bytes: number) {
    this.name = name;
    this.path = path;
    this.facts = facts;
    this.#bytes = bytes;
  }

  /** Reads the facts. Throws a machine error if the file is not there, not whole, or not the one that the book names. */
  static async open(directory: string, name: string, { file, sum }: PrintsName): Promise<LedgerFile> {
    const path = join(directory, FOLDER, file);
    const damaged = (what: string): RecPushError => ledgerDamaged(path, name, what);
    const handle = await openOrFail(path, name);
    try {
      const { size } = await handle.stat();
      const tail = Buffer.alloc(Math.min(size, MOST_FACTS_BYTES));
      await handle.read(tail, 0, tail.length, size - tail.length);
      const end = tail.length - SUM_CHARS;
      const start = tail.lastIndexOf(0x0a, end - 2);
      const facts = readFacts(tail.subarray(Math.max(start, 0), end), tail.toString("latin1", end, end + 8));
      if (start < 0 || facts === undefined) throw damaged("does not say what it holds");
      const prints = size - tail.length + start;
      if ((facts.certain + facts.doubtful) * widthOf(facts) !== prints)
        throw damaged("does not hold as many records as it says");
      if (tail.toString("latin1", end + SUM_CHARS / 2) !== `${sum}\n`)
        throw damaged("is not the file that the book of the table names");
      return new LedgerFile(name, path, facts, size);
    } finally {
      await handle.close();
    }
  }

  /** Bytes of one print. */
  get width(): number {
    return widthOf(this.facts);
  }

  /** Passes on the prints in order. Throws a machine error at the end if the bytes do not match their checksum. */
  async scan(take: TakePrint): Promise<void> {
    const { width } = this;
    await this.scanStretches((bytes, from, to, areDoubtful) => {
      for (let at = from; at < to; at += width) take(bytes, at, areDoubtful);
    });
  }

  /** The same, many at a time. */
  async scanStretches(take: TakePrints): Promise<void> {
    const handle = await openOrFail(this.path, this.name);
    try {
      const { certain, doubtful } = this.facts;
      const { width } = this;
      const block = Buffer.allocUnsafe(width * Math.floor(BLOCK_BYTES / width));
      const printBytes = (certain + doubtful) * width;
      const certainBytes = certain * width;
      let sum = 0;
      for (let place = 0; place < this.#bytes - SUM_CHARS;) {
        const end = place < printBytes ? printBytes : this.#bytes - SUM_CHARS;
        const length = Math.min(block.length, end - place);
        if ((await handle.read(block, 0, length, place)).bytesRead !== length)
          throw ledgerDamaged(this.path, this.name, "ends too early");
        sum = crc32(block.subarray(0, length), sum);
        if (place < printBytes) {
          const doubtfulFrom = Math.max(0, Math.min(certainBytes - place, length));
          if (doubtfulFrom > 0) take(block, 0, doubtfulFrom, false);
          if (doubtfulFrom < length) take(block, doubtfulFrom, length, true);
        }
        place += length;
      }
      const last = Buffer.alloc(SUM_CHARS);
      await handle.read(last, 0, SUM_CHARS, this.#bytes - SUM_CHARS);
      if (last.toString("latin1", SUM_CHARS / 2) !== `${hex(sum)}\n`)
        throw ledgerDamaged(this.path, this.name, "does not match its checksum");
    } finally {
      await handle.close();
    }
  }
}

async function openOrFail(path: string, name: string): Promise<FileHandle> {
  try {
    return await openOwnFile(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") throw ledgerDamaged(path, name, "is not there");
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

/** The error for a part of the ledger that is lost or damaged, so that it is not known what was created. */
function ledgerDamaged(path: string, name: string, what: string): RecPushError {
  return new RecPushError(
    "machine",
    "ledger-damaged",
    `the ledger of what was created is damaged: ${path} ${what}; nothing was sent, because records could be created twice`,
    {
      hint: [
        "restore the state directory from a backup, then run the same command again",
        "or take that part out, and say which of its records are in the service:",
        `  rec-push runs --forget ${name}`,
        "  rec-push ledger add FILE --table NAME",
      ].join("\n"),
    },
  );
}
