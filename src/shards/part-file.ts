import { createHash } from "node:crypto";
import { appendFile, open, writeFile } from "node:fs/promises";
import type { RejectedRow } from "../model/rows.ts";
import type { ChunkRecords } from "../model/settlement.ts";
import { type PreparedChunk, RecordPacker, unpackChunk } from "../prepare/packed-chunk.ts";
import { TextBuffer } from "../store/text-buffer.ts";

// A part is NDJSON. Its first line says whose it is, and holds what stands above the rows of the input. Each other line is a
// row of the input, in its order:
//
//   [line, bytes of the row, bytes of the record, key or null, record, row]
//   [line, bytes of the row, 0, key or null, problems, row]      of a row that is rejected
//
// The record is the bytes that are sent, and the row is its text in the input, for the files of rows. A row's place is counted
// in the text that the head and all rows make.

/** The first line of a part. */
export interface PartHead {
  readonly plan: string;
  readonly input: number;
  readonly shard: number;
  /** The lines of the input above its rows. */
  readonly above: string;
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NULL = "null,";

/** Writes a part; it is whole, and on disk, when {@link finish} resolves. Throws what node:fs throws. */
export class PartWriter {
  readonly #path: string;
  readonly #sum = createHash("sha256");
  readonly #held = new TextBuffer();
  #bytes = 0;

  constructor(path: string, head: PartHead) {
    this.#path = path;
    this.#held.add(`${JSON.stringify(head)}\n`);
  }

  /** The bytes that wait for {@link flush}. */
  get heldBytes(): number {
    return this.#held.length;
  }

  addRecord(of: ChunkRecords, index: number, row: Buffer): void {
    const [bytes, start] = [of.bytes(index), of.start(index)];
    this.#addStart(of.line(index), row, bytes, of.key(index));
    this.#held.addBytes(of.text, start, start + bytes);
    this.#held.add(`,${JSON.stringify(row.toString())}]\n`);
  }

  addRejected({ line, key, fields, problems }: RejectedRow, row: Buffer): void {
    this.#addStart(line, row, 0, key);
    this.#held.add(`${JSON.stringify({ fields, problems })},${JSON.stringify(row.toString())}]\n`);
  }

  async flush(): Promise<void> {
    const held = this.#held.take();
    this.#sum.update(held);
    // A plan that was cut off may have left a file there.
    if (this.#bytes === 0) await writeFile(this.#path, held, { mode: 0o600 });
    else if (held.length > 0) await appendFile(this.#path, held);
    this.#bytes += held.length;
  }

  /** By these the plan knows the part. */
  async finish(): Promise<{ readonly bytes: number; readonly sum: string }> {
    await this.flush();
    const handle = await open(this.#path, "r+");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    return { bytes: this.#bytes, sum: this.#sum.digest("hex") };
  }

  #addStart(line: number, row: Buffer, recordBytes: number, key: string | undefined): void {
    this.#held.add(
      `[${line},${row.length},${recordBytes},${key === undefined ? NULL : `${JSON.stringify(key)},`}`,
    );
  }
}

/** The records of a part, ready to be sent, and its rejected rows. */
export async function* readRecords(pieces: AsyncIterable<Buffer>): AsyncGenerator<PreparedChunk> {
  const packer = new RecordPacker();
  let start: number | undefined;
  for await (const lines of wholeLines(pieces)) {
    const rejected: RejectedRow[] = [];
    let records = 0;
    for (let from = 0; from < lines.length;) {
      const end = lines.indexOf(LINE_FEED, from);
      if (start === undefined) start = Buffer.byteLength(headOf(lines.subarray(from, end)).above);
      else {
        const { line, rowBytes, recordBytes, key, at } = startOf(lines, from);
        const row = { line, start, end: start + rowBytes };
        start += rowBytes;
        if (recordBytes === 0) {
          const [, , , , about] = JSON.parse(lines.toString("utf8", from, end)) as readonly unknown[];
          rejected.push({ ...row, key, ...(about as Pick<RejectedRow, "fields" | "problems">) });
        } else {
          packer.reserve(recordBytes);
          lines.copy(packer.text, packer.at, at, at + recordBytes);
          packer.add(row, packer.at + recordBytes, key);
          records += 1;
        }
      }
      from = end + 1;
    }
    if (records + rejected.length > 0) yield unpackChunk(packer.pack({ rejected, empty: [] }));
  }
}

/** The text of a part: what stands above its rows, and the rows. */
export async function* readPartRows(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isHead = true;
  for await (const lines of wholeLines(pieces)) {
    for (let from = 0; from < lines.length;) {
      const end = lines.indexOf(LINE_FEED, from);
      const line = lines.subarray(from, end);
      const text = isHead ? headOf(line).above : (JSON.parse(line.toString()) as readonly string[])[5]!;
      yield Buffer.from(text);
      isHead = false;
      from = end + 1;
    }
  }
}

function headOf(line: Buffer): PartHead {
  return JSON.parse(line.toString()) as PartHead;
}

/** The numbers and the key of the line at `from`; `at` is where its record begins. */
function startOf(bytes: Buffer, from: number) {
  const numbers = [0, 0, 0];
  let at = from + 1;
  for (let index = 0; index < numbers.length; index++, at++)
    for (let digit = bytes[at]! - ZERO; digit >= 0 && digit <= 9; digit = bytes[++at]! - ZERO)
      numbers[index] = 10 * numbers[index]! + digit;
  const [line, rowBytes, recordBytes] = numbers as [number, number, number];
  if (bytes[at] !== QUOTE) return { line, rowBytes, recordBytes, key: undefined, at: at + NULL.length };
  let end = at + 1;
  while (bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  const key = JSON.parse(bytes.toString("utf8", at, end + 1)) as string;
  return { line, rowBytes, recordBytes, key, at: end + 2 };
}

/** Whole lines, several at a time. */
async function* wholeLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const held: Buffer[] = [];
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) yield Buffer.concat([...held.splice(0), piece.subarray(0, end)]);
    // The piece is only lent.
    if (end < piece.length) held.push(Buffer.from(piece.subarray(end)));
  }
}
