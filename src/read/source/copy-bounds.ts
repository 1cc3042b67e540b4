import { statfs } from "node:fs/promises";
import { showBytes } from "../../model/decimal-of.ts";
import { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";

/** The most bytes of an input that are copied unless `maxInputBytes` says otherwise. */
const DEFAULT_MAX_INPUT_BYTES = 64 * 1024 ** 3;

/** The space that a copy leaves free: a twentieth of the file system, but no more than this. */
const MOST_KEPT_FREE = 1024 ** 3;
const SHARE_KEPT_FREE = 20;

/** The free space is checked each time this many bytes have been written. */
const BYTES_BETWEEN_LOOKS = 16 * 1024 ** 2;

/** Sizes of a file system in bytes. */
export interface Room {
  readonly free: number;
  readonly all: number;
}

/** Reads the sizes of the file system that contains a path. */
async function readRoom(path: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { free: bavail * bsize, all: blocks * bsize };
}

/** Limits the copy of an input that may never end. */
export class CopyBounds {
  readonly #name: string;
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #readRoom: (path: string) => Promise<Room>;
  #bytes = 0;
  #lookedAt = -BYTES_BETWEEN_LOOKS;

  constructor(
    name: string,
    directory: string,
    maxBytes = DEFAULT_MAX_INPUT_BYTES,
    roomOf: (path: string) => Promise<Room> = readRoom,
  ) {
    this.#name = name;
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    this.#readRoom = roomOf;
  }

  /**
   * To be called before more is written. Throws an input error if the input is too long, a machine error if space runs
   * out.
   */
  async take(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) {
      throw inputError(
        { file: this.#name },
        "too-long",
        `it is longer than ${showBytes(this.#maxBytes)}, and an input that can be read only once is copied first`,
        { hint: 'if it has an end: "maxInputBytes" in the table\'s section of the config allows more' },
      );
    }
    if (this.#bytes - this.#lookedAt < BYTES_BETWEEN_LOOKS) return;
    this.#lookedAt = this.#bytes;
    const { free, all } = await this.#readRoom(this.#directory);
    if (free - bytes >= Math.min(all / SHARE_KEPT_FREE, MOST_KEPT_FREE)) return;
    throw new RecPushError(
      "machine",
      "cannot-spool",
      `the copy of ${this.#name} would leave less than ${showBytes(free)} free in ${this.#directory}`,
      {
        hint: "free space there, name another place in TMPDIR, or give a file in place of a pipe: files are not copied",
      },
    );
  }
}
