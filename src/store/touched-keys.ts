import { createHash } from "node:crypto";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { cannotUse, openOwnFile, syncDirectory } from "./state-directory.ts";

/** The most keys of later runs that are compared; if there are more, every key counts as touched. */
const MOST_KEYS = 4_000_000;

/**
 * While an older run on the table is open, notes the keys that a run sends, as 64-bit hashes in its directory: if
 * that older run is resumed later, it must not overwrite newer values.
 */
export class TouchedKeys {
  readonly #path: string;
  readonly #handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  static async open(directory: string, url: string): Promise<TouchedKeys> {
    const path = join(directory, nameFile(url));
    try {
      const handle = await open(path, "a", 0o600);
      await syncDirectory(directory);
      return new TouchedKeys(path, handle);
    } catch (cause) {
      throw cannotUse(path, cause);
    }
  }

  /** To be awaited before the records are sent: then the keys are on disk. */
  async add(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const bytes = Buffer.allocUnsafe(keys.length * 8);
    for (const [at, key] of keys.entries()) bytes.writeBigUInt64LE(hashOf(key), at * 8);
    try {
      await this.#handle.appendFile(bytes);
      await this.#handle.datasync();
    } catch (cause) {
      throw cannotUse(this.#path, cause);
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** True if a run noted keys of that table. */
export async function hasTouched(directory: string, url: string): Promise<boolean> {
  const files: readonly string[] = await readdir(directory).catch(() => []);
  return files.includes(nameFile(url));
}

/** A test for keys that later runs touched; `undefined` if none of those runs noted any. */
export async function readTouched(
  directories: readonly string[],
  url: string,
): Promise<((key: string) => boolean) | undefined> {
  const found: Buffer[] = [];
  let bytes = 0;
  for (const directory of directories) {
    try {
      const handle = await openOwnFile(join(directory, nameFile(url)));
      for await (const chunk of handle.createReadStream()) {
        found.push(chunk as Buffer);
        bytes += (chunk as Buffer).length;
        if (bytes > MOST_KEYS * 8) return () => true;
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cannotUse(directory, cause);
    }
  }
  if (bytes === 0) return undefined;
  const hashes = new BigUint64Array(Math.floor(bytes / 8));
  const all = Buffer.concat(found);
  for (let at = 0; at < hashes.length; at++) hashes[at] = all.readBigUInt64LE(at * 8);
  hashes.sort();
  return (key) => holds(hashes, hashOf(key));
}

/** The file for a table. */
function nameFile(url: string): string {
  return `keys-${createHash("sha256").update(url).digest("hex").slice(0, 16)}`;
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
