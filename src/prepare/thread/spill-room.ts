import { randomBytes } from "node:crypto";
import { open, rm, statfs, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { SpillFile } from "./prepare-job.ts";

const MOST_BYTES = 1024 ** 3;
/** The share of the free space that records may take. */
const SHARE_OF_FREE = 0.25;

/**
 * The file in which the records of a command's inputs wait until they are sent, those of one input behind those of the other. It
 * has no name, so it disappears with the process.
 */
export class SpillRoom {
  readonly #directory: string;
  #handle: FileHandle | undefined;
  #maxBytes = 0;
  #kept = 0;

  /** `directory` is private and outlives this object. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** What is behind the records that are kept, for one thread at a time; `undefined` if there is nothing. */
  async free(): Promise<{ readonly file: FileHandle; readonly spill: SpillFile } | undefined> {
    try {
      const file = await this.#open();
      return { file, spill: { fd: file.fd, from: this.#kept, maxBytes: this.#maxBytes } };
    } catch {
      return undefined;
    }
  }

  /** The records up to there are read later. */
  keep(end: number): void {
    this.#kept = Math.max(this.#kept, end);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle === undefined) {
      const path = join(this.#directory, `records-${randomBytes(12).toString("hex")}`);
      this.#handle = await open(path, "wx+", 0o600);
      await rm(path);
      const { bavail, bsize } = await statfs(this.#directory);
      this.#maxBytes = Math.min(MOST_BYTES, bavail * bsize * SHARE_OF_FREE);
    }
    // What an earlier attempt at the same input has left there is written over. Truncated to nothing, ext4 would write
    // all that follows to the disk when the file is closed (auto_da_alloc), and the end of the run would wait for it.
    return this.#handle;
  }
}
