import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncDirectory } from "./sync-directory.ts";

/**
 * A file that is there whole or not at all: written beside its place, and moved there by `commit`, which replaces what was
 * there. Throws what node:fs throws.
 */
export class AtomicFile {
  readonly #path: string;
  readonly #draft: string;
  readonly #handle: FileHandle;
  #isOpen = true;
  #isInPlace = false;

  private constructor(path: string, draft: string, handle: FileHandle) {
    this.#path = path;
    this.#draft = draft;
    this.#handle = handle;
  }

  /** Private (0600) unless `mode` is given. */
  static async create(path: string, mode = 0o600): Promise<AtomicFile> {
    const draft = draftOf(path);
    return new AtomicFile(path, draft, await open(draft, "wx", mode));
  }

  /** For callers that cannot wait for a write. */
  get fd(): number {
    return this.#handle.fd;
  }

  async write(bytes: Buffer | string): Promise<void> {
    await this.#handle.appendFile(bytes);
  }

  /** Moves the file to its place and syncs it; `path` may be another one in the same directory. */
  async commit(path = this.#path): Promise<void> {
    await this.#handle.sync();
    await this.#close();
    await rename(this.#draft, path);
    this.#isInPlace = true;
    // If a directory cannot be synced, a power failure may bring back the previous file, which is just as complete.
    await syncDirectory(dirname(this.#path)).catch(() => undefined);
  }

  /** Removes the draft unless it was committed. */
  async discard(): Promise<void> {
    if (this.#isInPlace) return;
    await this.#close().catch(() => undefined);
    await rm(this.#draft, { force: true }).catch(() => undefined);
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
  }
}

/** Writes a file that is there whole or not at all. Throws what node:fs throws. */
export async function replaceFile(
  path: string,
  write: string | ((file: AtomicFile) => Promise<void>),
  mode?: number,
): Promise<void> {
  const file = await AtomicFile.create(path, mode);
  try {
    await (typeof write === "string" ? file.write(write) : write(file));
    await file.commit();
  } finally {
    await file.discard();
  }
}

/** The same for a small text, for callers that cannot wait. Throws what node:fs throws. */
export function replaceFileNow(path: string, text: string): void {
  const draft = draftOf(path);
  const fd = openSync(draft, "wx", 0o600);
  try {
    try {
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
}
