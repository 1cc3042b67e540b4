import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";

const LINE_FEED = 10;

interface Partition {
  /** Undefined until lines are written. */
  path: string | undefined;
  /** The lines that are not in the file yet. */
  text: string;
}

/**
 * Numbered partitions of text lines in private files (0600), in the order in which they were added; the caller
 * removes the directory.
 */
export class Spill {
  readonly #directory: string;
  readonly #mostHeld: number;
  readonly #partitions = new Map<number, Partition>();
  /** The length of the lines that are in memory. */
  #held = 0;
  #writing: Promise<void> | undefined;

  /** `mostHeld` is the most text that all partitions together hold in memory between two calls of {@link settle}. */
  constructor(directory: string, mostHeld = 1_048_576) {
    this.#directory = directory;
    this.#mostHeld = mostHeld;
  }

  /** The numbers of the partitions that hold anything. */
  get numbers(): readonly number[] {
    return [...this.#partitions.keys()];
  }

  /** Adds a line, which must not contain a line feed. */
  add(number: number, line: string): void {
    let partition = this.#partitions.get(number);
    if (partition === undefined) this.#partitions.set(number, (partition = { path: undefined, text: "" }));
    partition.text += `${line}\n`;
    this.#held += line.length + 1;
  }

  /**
   * Writes the buffered lines to disk once there are more than may be held. To be called between chunks; lines may be added in the
   * meantime.
   */
  async settle(): Promise<void> {
    if (this.#held <= this.#mostHeld) return;
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
    await this.#writing;
  }

  /** The lines of one partition, several at a time. */
  async *read(number: number): AsyncGenerator<readonly string[]> {
    await this.#writing;
    const partition = this.#partitions.get(number);
    if (partition === undefined) return;
    if (partition.path !== undefined) {
      let rest: Buffer = Buffer.alloc(0);
      for await (const piece of createReadStream(partition.path) as AsyncIterable<Buffer>) {
        const end = piece.lastIndexOf(LINE_FEED) + 1;
        if (end > 0) yield linesOf(Buffer.concat([rest, piece.subarray(0, end)]).toString());
        rest = end > 0 ? piece.subarray(end) : Buffer.concat([rest, piece]);
      }
    }
    if (partition.text !== "") yield linesOf(partition.text);
  }

  async remove(): Promise<void> {
    for (const { path } of this.#partitions.values()) if (path !== undefined) await rm(path, { force: true });
    this.#partitions.clear();
  }

  async #writeAll(): Promise<void> {
    for (const partition of this.#partitions.values()) {
      const { text } = partition;
      partition.text = "";
      this.#held -= text.length;
      if (text !== "") await this.#write(partition, text);
    }
  }

  async #write(partition: Partition, lines: string): Promise<void> {
    partition.path ??= join(this.#directory, `rows-${randomBytes(12).toString("hex")}`);
    try {
      await appendFile(partition.path, lines, { mode: 0o600 });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RecPushError("cannot-spool", `rows cannot be kept in ${this.#directory}: ${why}`, {
        hint: "free space there, then run the same command again",
        cause,
      });
    }
  }
}

function linesOf(text: string): readonly string[] {
  return text.slice(0, -1).split("\n");
}

/** The partition that a key belongs to. Keys are spread evenly, and differently for each seed. */
export function partitionOf(key: string, partitions: number, seed = 0): number {
  let mixed = Math.imul(seed + 1, 0x9e3779b1);
  for (let at = 0; at < key.length; at++) mixed = Math.imul(mixed ^ key.charCodeAt(at), 0x5f356495);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % partitions;
}
