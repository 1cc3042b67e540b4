import { createHash, type Hash } from "node:crypto";
import type { RecordList } from "../model/record-list.ts";
import type { PreparedChunk } from "../prepare/packed-chunk.ts";

/** A hash of rows: their verdicts, their places and their records. */
export class RowSum {
  readonly #hash: Hash = createHash("sha256");

  add({ records, rejected, empty }: PreparedChunk): void {
    for (const { start, line, end } of rejected) this.#hash.update(`r${start} ${line} ${end}\n`);
    for (const { start, line } of empty) this.#hash.update(`e${start} ${line}\n`);
    if (records.length > 0) this.#hash.update(spell(records));
  }

  finish(): string {
    return this.#hash.digest("hex");
  }
}

const PLACE_BYTES = 24;

function spell(records: RecordList): Buffer {
  let size = records.length * PLACE_BYTES;
  for (const { bytes } of records) size += bytes;
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const { text, start, bytes: length, rowStart, rowEnd, line } of records) {
    at = bytes.writeDoubleLE(rowStart, at);
    at = bytes.writeDoubleLE(rowEnd, at);
    at = bytes.writeDoubleLE(line, at);
    at += text.copy(bytes, at, start, start + length);
  }
  return bytes;
}
