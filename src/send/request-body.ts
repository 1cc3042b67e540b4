import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { RecordList } from "../model/record-list.ts";
import type { RecordText } from "../model/record.ts";
import type { Target } from "./target.ts";

const COMMA = 0x2c;

/** Records that follow each other in a text, with the commas between them. */
interface Stretch {
  readonly text: RecordText;
  readonly start: number;
  end: number;
}

/** The body that carries these records, in UTF-8, in the memory that `allocate` returns. */
export function buildBody(
  records: RecordList,
  { before, after }: Target["envelope"],
  allocate: (bytes: number) => Buffer = (bytes) => Buffer.allocUnsafeSlow(bytes),
): Buffer {
  const stretches = stretchesOf(records);
  let bytes = Buffer.byteLength(before) + Math.max(0, stretches.length - 1) + Buffer.byteLength(after);
  for (const { start, end } of stretches) bytes += end - start;
  const body = allocate(bytes);
  body.write(after, copyStretches(stretches, body, body.write(before)));
  return body;
}

/** Where the texts are of records of one kind. */
function stretchesOf(records: RecordList): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let last: Stretch | undefined;
  for (const { of, from, to } of records.stretches) {
    const { text } = of;
    const start = of.start(from);
    const end = of.start(to - 1) + of.bytes(to - 1);
    if (last !== undefined && last.text === text && last.end + 1 === start) last.end = end;
    else stretches.push((last = { text, start, end }));
  }
  return stretches;
}

/** Writes the stretches, with commas between them, to the place `at`; returns where they end. */
function copyStretches(stretches: readonly Stretch[], target: Buffer, at: number): number {
  let to = at;
  let ahead = 0;
  for (const [index, { text, start, end }] of stretches.entries()) {
    if (index >= ahead) ahead = readAhead(stretches, index);
    if (index > 0) target[to++] = COMMA;
    to += text.copy(target, to, start, end);
  }
  return to;
}

/** Reads the stretches from `first` on that share a text at once, if there are several; returns the index after them. */
function readAhead(stretches: readonly Stretch[], first: number): number {
  const { text, start } = stretches[first]!;
  let next = first + 1;
  while (stretches[next]?.text === text && stretches[next]!.start > start) next++;
  if (next > first + 1) text.readAhead?.(start, stretches[next - 1]!.end);
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
