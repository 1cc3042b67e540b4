import { createHash, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { syncDirectory } from "./state-directory.ts";
import { TextBuffer } from "./text-buffer.ts";

const BUFFER_BYTES = 524_288;

/** An {@link AtomicFile} that holds rows: no file is created before there is something to write or it is committed. Throws machine errors. */
export class PrivateFile {
  readonly path: string;
  readonly #what: "rejects" | "results";
  #file: AtomicFile | undefined;
  /** What is not in the file yet. */
  readonly #held = new TextBuffer();
  readonly #hash = createHash("sha256");

  /** `what` is the option that names the file, without its dashes. */
  constructor(path: string, what: "rejects" | "results") {
    this.path = path;
    this.#what = what;
  }

  /**
   * Creates the file filled with zeros, so that a lack of space for `bytes` shows at once. To be discarded
   * afterwards.
   */
  async reserve(bytes: number): Promise<void> {
    const zeros = Buffer.alloc(BUFFER_BYTES);
    for (let left = bytes; left > 0; left -= zeros.length) await this.write(zeros.subarray(0, left));
    await this.#flush();
  }

  async write(content: Buffer | string): Promise<void> {
    if (typeof content === "string") this.#held.add(content);
    else this.#held.addBytes(content, 0, content.length);
    if (this.#held.length >= BUFFER_BYTES) await this.#flush();
  }

  /**
   * Moves the file to its place, on disk, replacing what was there. `place` is called first, with the file's hex
   * SHA-256, and may return another path in the same directory. Returns the path.
   */
  async commit(place: (sha256: string) => Promise<string> = async () => this.path): Promise<string> {
    await this.#flush();
    let path = this.path;
    await this.#orFail(async () => {
      path = await place(this.#hash.digest("hex"));
      await this.#file?.commit(path);
      // A directory that cannot be read cannot be synced: a power failure may bring back what was there before.
      await syncDirectory(dirname(path)).catch(() => undefined);
    });
    return path;
  }

  /** Removes the file unless it was committed. */
  async discard(): Promise<void> {
    await this.#file?.discard();
  }

  async #flush(): Promise<void> {
    const bytes = this.#held.take();
    this.#hash.update(bytes);
    await this.#orFail(async () => {
      this.#file ??= await AtomicFile.create(this.path);
      await this.#file.write(bytes);
    });
  }

  async #orFail(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (cause) {
      if (cause instanceof RecPushError) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RecPushError(
        "machine",
        "cannot-write",
        `the ${this.#what} cannot be written to ${this.path}: ${why}`,
        { hint: `free space there, or name another file with --${this.#what}`, cause },
      );
    }
  }
}

/**
 * A file that is there whole or not at all: written beside its place, and moved there by `commit`, which replaces what was
 * there. Throws what node:fs throws.
 */
class AtomicFile {
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

  /** Brings the file to disk and moves it to its place; `path` may be another one in the same directory. */
  async commit(path = this.#path): Promise<void> {
    await this.#handle.sync();
    await this.#close();
    await rename(this.#draft, path);
    this.#isInPlace = true;
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

/** Writes a file that is there whole or not at all, also after a power failure. Throws what node:fs throws. */
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
  await syncDirectory(dirname(path));
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
