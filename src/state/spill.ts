import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";

/**
 * Numbered partitions of text lines in private files (0600), in the order in which they were added; the caller
 * removes the directory.
 */
export class Spill {
  readonly #directory: string;
  readonly #bufferChars: number;
  readonly #partitions = new Map<number, Partition>();
  #heldChars = 0;

  /** `bufferChars` is the most that all partitions together hold in memory. */
  constructor(directory: string, bufferChars = 1_048_576) {
    this.#directory = directory;
    this.#bufferChars = bufferChars;
  }

  /** The numbers of the partitions that hold anything. */
  get numbers(): readonly number[] {
    return [...this.#partitions.keys()];
  }

  /** Adds a line, which must not contain a line feed. */
  add(number: number, line: string): void {
    let partition = this.#partitions.get(number);
    if (partition === undefined)
      this.#partitions.set(number, (partition = { text: "", chars: 0, path: undefined }));
    partition.text += `${line}\n`;
    partition.chars += line.length + 1;
    this.#heldChars += line.length + 1;
  }

  /** Writes the buffered lines to disk once there are more than may be held. To be called between chunks. */
  async settle(): Promise<void> {
    if (this.#heldChars <= this.#bufferChars) return;
    for (const partition of this.#partitions.values()) {
      if (partition.text !== "") await this.#write(partition);
    }
    this.#heldChars = 0;
  }

  /** The approximate size of a partition, in characters. */
  size(number: number): number {
    return this.#partitions.get(number)?.chars ?? 0;
  }

  /** The lines of one partition, several at a time. */
  async *read(number: number): AsyncGenerator<readonly string[]> {
    const partition = this.#partitions.get(number);
    if (partition?.path !== undefined) {
      let rest = "";
      for await (const piece of createReadStream(partition.path, "utf8")) {
        const lines = (rest + String(piece)).split("\n");
        rest = lines.pop() ?? "";
        yield lines;
      }
    }
    const lines = (partition?.text ?? "").split("\n");
    lines.pop();
    yield lines;
  }

  async remove(): Promise<void> {
    for (const { path } of this.#partitions.values()) if (path !== undefined) await rm(path, { force: true });
    this.#partitions.clear();
  }

  async #write(partition: Partition): Promise<void> {
    partition.path ??= join(this.#directory, `rows-${randomBytes(12).toString("hex")}`);
    try {
      await appendFile(partition.path, partition.text, { mode: 0o600 });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RecPushError("machine", "cannot-spool", `rows cannot be kept in ${this.#directory}: ${why}`, {
        hint: "free space there, then run the same command again",
        cause,
      });
    }
    partition.text = "";
  }
}

interface Partition {
  /** The text that is not in the file yet. */
  text: string;
  /** UTF-16 units in all, which is about the number of bytes. */
  chars: number;
  path: string | undefined;
}
