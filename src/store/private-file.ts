import { createHash, randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { syncDirectory } from "./state-directory.ts";

const BUFFER_BYTES = 524_288;

/**
 * A file of rows that is there whole or not at all: no file is created before there is something to write or it is committed.
 * Throws machine errors.
 */
export class PrivateFile {
  readonly path: string;
  readonly #what: "rejects" | "results";
  readonly #draft: string;
  /** That of the draft, until it is committed. */
  #handle: FileHandle | undefined;
  /** What is not in the file yet. */
  readonly #held: Buffer[] = [];
  #heldBytes = 0;
  readonly #hash = createHash("sha256");

  /** `what` is the option that names the file, without its dashes. */
  constructor(path: string, what: "rejects" | "results") {
    this.path = path;
    this.#draft = draftOf(path);
    this.#what = what;
  }

  /** Creates the file empty, so that a place that cannot be written to shows at once. */
  async create(): Promise<void> {
    await this.#flush();
  }

  async write(content: Buffer | string): Promise<void> {
    this.#held.push(Buffer.from(content));
    this.#heldBytes += this.#held.at(-1)!.length;
    if (this.#heldBytes >= BUFFER_BYTES) await this.#flush();
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
      await this.#handle!.sync();
      await this.#handle!.close();
      await rename(this.#draft, path);
      this.#handle = undefined;
      // A directory that cannot be read cannot be synced: a power failure may bring back what was there before.
      await syncDirectory(dirname(path)).catch(() => undefined);
    });
    return path;
  }

  /** Removes the file unless it was committed. */
  async discard(): Promise<void> {
    if (this.#handle === undefined) return;
    await this.#handle.close().catch(() => undefined);
    await rm(this.#draft, { force: true }).catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#held.splice(0));
    this.#heldBytes = 0;
    this.#hash.update(bytes);
    await this.#orFail(async () => {
      this.#handle ??= await open(this.#draft, "wx", 0o600);
      await this.#handle.appendFile(bytes);
    });
  }

  async #orFail(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (cause) {
      if (cause instanceof RecPushError) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RecPushError("cannot-write", `the ${this.#what} cannot be written to ${this.path}: ${why}`, {
        hint: `free space there or make it writable, or name another file with --${this.#what}`,
        cause,
      });
    }
  }
}

/**
 * Writes a file that is there whole or not at all, also after a power failure: beside its place, and then moved there. Private
 * (0600) unless `mode` is given. Throws what node:fs throws.
 */
export async function replaceFile(
  path: string,
  write: string | ((file: FileHandle) => Promise<void>),
  mode = 0o600,
): Promise<void> {
  const draft = draftOf(path);
  const handle = await open(draft, "wx", mode);
  try {
    try {
      await (typeof write === "string" ? handle.writeFile(write) : write(handle));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** The same for a small text, for callers that cannot wait. Throws what node:fs throws. */
export function replaceFileNow(path: string, text: string): void {
  const draft = draftOf(path);
  try {
    writeFileSync(draft, text, { flag: "wx", mode: 0o600, flush: true });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
}
