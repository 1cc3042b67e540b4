import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { BookRun } from "./book-entries.ts";
import { readJournal } from "./read-journal.ts";
import { placeOfRun } from "./table-place.ts";

/*
 * While an older run on the table is open, or its rejects are not pushed yet, a run notes the keys that it sends in its journal, as
 * 64-bit hashes: rows of the older run that are sent later must not overwrite newer values.
 */

/** The most keys of later runs that are compared; if there are more, every key counts as touched. */
const MOST_KEYS = 4_000_000;
const HASH_BYTES = 8;

/** The hashes of keys, one after the other, in base64. */
export function spellKeys(keys: readonly string[]): string {
  const bytes = Buffer.allocUnsafe(keys.length * HASH_BYTES);
  for (const [at, key] of keys.entries()) bytes.writeBigUInt64LE(hashOf(key), at * HASH_BYTES);
  return bytes.toString("base64");
}

/**
 * A test for keys that runs of a table, whose directory it is, noted in their journals. `undefined` if they noted none; if what
 * one noted is lost, every key counts as touched.
 */
export async function readTouched(
  table: string,
  runs: readonly Pick<BookRun, "run" | "closed">[],
): Promise<((key: string) => boolean) | undefined> {
  const found: Buffer[] = [];
  let bytes = 0;
  for (const { run, closed } of runs) {
    try {
      const { number } = await readJournal(join(placeOfRun(table, run), "journal"), (entry) => {
        if (entry.entry !== "keys") return;
        const hashes = Buffer.from(entry.hashes, "base64");
        if (bytes <= MOST_KEYS * HASH_BYTES) found.push(hashes);
        bytes += hashes.length;
      });
      if (number < (closed?.keys ?? 0)) return () => true;
    } catch (error) {
      const isLost = error instanceof RecPushError || (error as NodeJS.ErrnoException).code === "ENOENT";
      if (!isLost) throw error;
      return () => true;
    }
    if (bytes > MOST_KEYS * HASH_BYTES) return () => true;
  }
  if (bytes === 0) return undefined;
  const hashes = new BigUint64Array(bytes / HASH_BYTES);
  const all = Buffer.concat(found);
  for (let at = 0; at < hashes.length; at++) hashes[at] = all.readBigUInt64LE(at * HASH_BYTES);
  hashes.sort();
  return (key) => holds(hashes, hashOf(key));
}

function holds(sorted: BigUint64Array, hash: bigint): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as bigint) < hash) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === hash;
}

/** FNV-1a, 64 bits, over UTF-16 units. */
function hashOf(key: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < key.length; at++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(key.charCodeAt(at))) * 0x100000001b3n);
  }
  return hash;
}
