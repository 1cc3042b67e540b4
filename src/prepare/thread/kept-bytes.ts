import { readSync } from "node:fs";
import { RecPushError } from "../../model/failure.ts";
import type { RecordText } from "../../model/record.ts";

/** Bytes of an open file from a position on, read when they are needed. */
export class KeptBytes implements RecordText {
  readonly fd: number;
  readonly #at: number;

  constructor(fd: number, at: number) {
    this.fd = fd;
    this.#at = at;
  }

  /** Throws a machine error if they cannot be read. */
  copy(target: Buffer, to: number, start: number, end: number): number {
    for (let done = 0; done < end - start;) {
      done += this.#read(target, to + done, end - start - done, this.#at + start + done);
    }
    return end - start;
  }

  // Bytes just written are in memory: reading them through another thread takes ten times as long.
  #read(target: Buffer, to: number, length: number, position: number): number {
    let read = 0;
    let cause: unknown;
    try {
      read = readSync(this.fd, target, to, length, position);
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
