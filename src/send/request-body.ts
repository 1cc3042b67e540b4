import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { PreparedRecord } from "../model/record.ts";
import type { Target } from "./target.ts";

const COMMA = 0x2c;

/** The body that carries these records, in UTF-8. */
export function buildBody(records: readonly PreparedRecord[], { before, after }: Target["envelope"]): Buffer {
  const body = Buffer.allocUnsafeSlow(
    Buffer.byteLength(before) + joinedBytes(records) + Buffer.byteLength(after),
  );
  const at = body.write(before);
  body.write(after, at + joinRecords(records, body, at));
  return body;
}

/** Size of the records, with commas between them. */
function joinedBytes(records: readonly PreparedRecord[]): number {
  let bytes = Math.max(0, records.length - 1);
  for (const record of records) bytes += record.bytes;
  return bytes;
}

/** Writes the records, with commas between them, to the place `at`; returns their size. */
function joinRecords(records: readonly PreparedRecord[], target: Buffer, at: number): number {
  let to = at;
  let ahead = 0;
  for (let first = 0; first < records.length;) {
    const { text, start } = records[first]!;
    const next = endOfStretch(records, first);
    if (first >= ahead && next < records.length) ahead = readAhead(records, first);
    const { start: lastStart, bytes } = records[next - 1]!;
    if (first > 0) target[to++] = COMMA;
    to += text.copy(target, to, start, lastStart + bytes);
    first = next;
  }
  return to - at;
}

/** Reads the records from `first` on that share a text at once; returns the index after the last of them. */
function readAhead(records: readonly PreparedRecord[], first: number): number {
  const { text, start } = records[first]!;
  let next = first + 1;
  while (next < records.length && records[next]!.text === text && records[next]!.start > start) next++;
  const last = records[next - 1]!;
  if (next > first + 1) text.readAhead?.(start, last.start + last.bytes);
  return next;
}

/** The index after the last record that can be copied together with the first, commas included. */
function endOfStretch(records: readonly PreparedRecord[], first: number): number {
  let { text, start, bytes } = records[first]!;
  let next = first + 1;
  for (; next < records.length; next++) {
    const record = records[next]!;
    if (record.text !== text || record.start !== start + bytes + 1) break;
    ({ start, bytes } = record);
  }
  return next;
}

/** The part of a body that holds the records. */
export function recordsIn(body: Buffer, { before, after }: Target["envelope"]): Buffer {
  return body.subarray(Buffer.byteLength(before), body.length - Buffer.byteLength(after));
}

/** Bytes of a body without any record. */
export function envelopeBytes({ before, after }: Target["envelope"]): number {
  return Buffer.byteLength(before) + Buffer.byteLength(after);
}

/** How a body may be compressed. */
export type Compression = "gzip";

const pack = promisify(gzip);

/**
 * The compressed body, made off the main thread. Level 1: records shrink to a seventh; higher levels reach a ninth
 * and take up to thirty times as long.
 */
export function packBody(body: Buffer, compression: Compression): Promise<Buffer> {
  switch (compression) {
    case "gzip":
      return pack(body, { level: constants.Z_BEST_SPEED });
  }
}
