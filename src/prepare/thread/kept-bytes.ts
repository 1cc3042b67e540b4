import { readSync } from "node:fs";
import { RecPushError } from "../../model/failure.ts";
import type { RecordText } from "../../model/record.ts";

/** A longer stretch is not read at once: records far apart are read one by one. */
const MOST_AHEAD_BYTES = 1_048_576;
const FIRST_AHEAD_BYTES = 262_144;

/** The stretch that was read ahead last; one buffer serves all files. */
const ahead = { owner: undefined as KeptBytes | undefined, start: 0, end: 0, bytes: Buffer.alloc(0) };

/** An open file; its descriptor is -1 once it is closed, so that no other file is read in its place. */
export interface KeptFile {
  readonly fd: number;
}

/** Bytes of an open file from a position on, read when they are needed. */
export class KeptBytes implements RecordText {
  readonly #file: KeptFile;
  readonly #at: number;

  constructor(file: KeptFile, at: number) {
    this.#file = file;
    this.#at = at;
  }

  /** Throws a machine error if they cannot be read. */
  copy(target: Buffer, to: number, start: number, end: number): number {
    if (ahead.owner === this && start >= ahead.start && end <= ahead.end)
      return ahead.bytes.copy(target, to, start - ahead.start, end - ahead.start);
    this.#readAll(target, to, start, end);
    return end - start;
  }

  /** Reads a stretch with one system call; a call for each piece takes ten times as long as copying it. */
  readAhead(start: number, end: number): void {
    const bytes = end - start;
    if (bytes > MOST_AHEAD_BYTES) return;
    ahead.owner = undefined;
    if (bytes > ahead.bytes.length)
      ahead.bytes = Buffer.allocUnsafeSlow(
        Math.max(FIRST_AHEAD_BYTES, Math.min(2 * bytes, MOST_AHEAD_BYTES)),
      );
    this.#readAll(ahead.bytes, 0, start, end);
    Object.assign(ahead, { owner: this, start, end });
  }

  #readAll(target: Buffer, to: number, start: number, end: number): void {
    for (let done = 0; done < end - start;) {
      done += this.#read(target, to + done, end - start - done, this.#at + start + done);
    }
  }

  // Bytes just written are in memory: reading them through another thread takes ten times as long.
  #read(target: Buffer, to: number, length: number, position: number): number {
    let read = 0;
    let cause: unknown;
    try {
      read = readSync(this.#file.fd, target, to, length, position);
    } catch (error) {
      cause = error;
    }
    if (read > 0) return read;
    const why = cause instanceof Error ? cause.message : "it ends too early";
    throw new RecPushError("machine", "records-lost", `the file of prepared records cannot be read: ${why}`, {
      hint: "run the command again",
      cause,
    });
  }
}
