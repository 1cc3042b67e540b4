import { createHash, randomBytes } from "node:crypto";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { RecPushError } from "../model/failure.ts";

const BUFFER_BYTES = 65_536;

/**
 * A file (mode 0600) that is there whole or not at all: written beside its place, moved there by `commit`. Nothing is
 * made before the first byte. Throws machine errors.
 */
export class PrivateFile {
  readonly path: string;
  readonly #what: "rejects" | "results";
  readonly #draft: string;
  #handle: FileHandle | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  readonly #hash = createHash("sha256");

  /** `what` is the option that names the file, without its dashes. */
  constructor(path: string, what: "rejects" | "results") {
    this.path = path;
    this.#what = what;
    this.#draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  }

  /** Makes the file with zeros in it, so that a place without room for `bytes` shows at once. To be discarded then. */
  async reserve(bytes: number): Promise<void> {
    const zeros = Buffer.alloc(BUFFER_BYTES);
    for (let left = bytes; left > 0; left -= zeros.length) await this.write(zeros.subarray(0, left));
    await this.#flush();
  }

  async write(bytes: Buffer): Promise<void> {
    this.#held.push(bytes);
    this.#hash.update(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= BUFFER_BYTES) await this.#flush();
  }

  /** Puts the file in its place, on disk; replaces what was there. `before` is told its hex SHA-256 first. */
  async commit(before: (sha256: string) => Promise<void> = async () => undefined): Promise<void> {
    await this.#flush();
    await before(this.#hash.digest("hex"));
    await this.#orFail(async () => {
      await this.#handle?.sync();
      await this.#handle?.close();
      this.#handle = undefined;
      await rename(this.#draft, this.path);
    });
  }

  /** Leaves nothing behind that is not committed. */
  async discard(): Promise<void> {
    if (this.#handle === undefined) return;
    await this.#handle.close().catch(() => undefined);
    this.#handle = undefined;
    await rm(this.#draft, { force: true }).catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    await this.#orFail(async () => {
      this.#handle ??= await open(this.#draft, "wx", 0o600);
      await this.#handle.appendFile(bytes);
    });
  }

  async #orFail(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (cause) {
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
