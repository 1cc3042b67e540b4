import { createHash } from "node:crypto";
import { RecPushError } from "../model/failure.ts";
import { AtomicFile } from "./atomic-file.ts";

const BUFFER_BYTES = 524_288;

/** An {@link AtomicFile} that holds rows: no file is created before the first byte. Throws machine errors. */
export class PrivateFile {
  readonly path: string;
  readonly #what: "rejects" | "results";
  #file: AtomicFile | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
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

  async write(bytes: Buffer): Promise<void> {
    this.#held.push(bytes);
    this.#hash.update(bytes);
    this.#heldBytes += bytes.length;
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
      await this.#file?.commit(path);
    });
    return path;
  }

  /** Removes the file unless it was committed. */
  async discard(): Promise<void> {
    await this.#file?.discard();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
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
