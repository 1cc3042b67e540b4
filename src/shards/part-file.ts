import { createHash } from "node:crypto";
import { appendFile, open, writeFile } from "node:fs/promises";
import type { RejectedRow } from "../model/rows.ts";
import type { ChunkRecords } from "../model/settlement.ts";
import { type PreparedChunk, RecordPacker, unpackChunk } from "../prepare/packed-chunk.ts";
import type { PlannedPart } from "./shard-plan.ts";

// The first line of a part holds the lines of the input above its rows, as one text. Each other line is a row of the input, in
// its order, in three parts that are JSON, with tabs between them:
//
//   [line, bytes of the row, key]  record  row
//   [line, bytes of the row, key, problems]  nothing  row      of a row that is rejected
//
// The record is the bytes that are sent, and the row is its text in the input, for the files of rows. A row's place is counted
// in the text that these lines and all rows make.

const LINE_FEED = 0x0a;
const TAB = 0x09;

/** The start of a row's line. */
type RowStart = readonly [
  line: number,
  rowBytes: number,
  key: string | null,
  about?: Pick<RejectedRow, "fields" | "problems">,
];

/** Writes a part; it is whole, and on disk, when {@link finish} resolves. Throws what node:fs throws. */
export class PartWriter {
  readonly #path: string;
  readonly #sum = createHash("sha256");
  readonly #held: Buffer[] = [];
  /** The bytes that wait for {@link flush}. */
  heldBytes = 0;
  readonly #counts = { rows: 0, updates: 0, creates: 0, invalid: 0, skipped: 0 };
  #bytes = 0;

  /** `above`: the lines of the input above its rows. */
  constructor(path: string, above: string) {
    this.#path = path;
    this.#hold(`${JSON.stringify(above)}\n`);
  }

  addRecord(of: ChunkRecords, index: number, row: Buffer): void {
    const start = of.start(index);
    this.#counts.rows += 1;
    this.#counts[of.kind(index) === "update" ? "updates" : "creates"] += 1;
    this.#hold(`${JSON.stringify([of.line(index), row.length, of.key(index)])}\t`);
    this.#hold(of.text.subarray(start, start + of.bytes(index)));
    this.#hold(`\t${JSON.stringify(row.toString())}\n`);
  }

  addRejected({ line, key, fields, problems }: RejectedRow, row: Buffer): void {
    this.#counts.rows += 1;
    this.#counts.invalid += 1;
    const start = JSON.stringify([line, row.length, key, { fields, problems }]);
    this.#hold(`${start}\t\t${JSON.stringify(row.toString())}\n`);
  }

  /** Counts a row that gives nothing to send. */
  skip(): void {
    this.#counts.rows += 1;
    this.#counts.skipped += 1;
  }

  async flush(): Promise<void> {
    const held = Buffer.concat(this.#held.splice(0));
    this.heldBytes = 0;
    this.#sum.update(held);
    // A plan that was cut off may have left a file there.
    if (this.#bytes === 0) await writeFile(this.#path, held, { mode: 0o600 });
    else if (held.length > 0) await appendFile(this.#path, held);
    this.#bytes += held.length;
  }

  /** The part as the plan knows it. */
  async finish(): Promise<PlannedPart> {
    await this.flush();
    const handle = await open(this.#path, "r+");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    return { ...this.#counts, bytes: this.#bytes, sum: this.#sum.digest("hex") };
  }

  #hold(part: string | Buffer): void {
    const bytes = Buffer.from(part);
    this.#held.push(bytes);
    this.heldBytes += bytes.length;
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
      if (start === undefined) start = Buffer.byteLength(textOf(lines.subarray(from, end)));
      else {
        const at = lines.indexOf(TAB, from) + 1;
        const recordEnd = lines.indexOf(TAB, at);
        const [line, rowBytes, key, about] = JSON.parse(lines.toString("utf8", from, at - 1)) as RowStart;
        const row = { line, start, end: start + rowBytes };
        start += rowBytes;
        if (about !== undefined) rejected.push({ ...row, key: key ?? undefined, ...about });
        else {
          packer.reserve(recordEnd - at);
          lines.copy(packer.text, packer.at, at, recordEnd);
          packer.add(row, packer.at + recordEnd - at, key ?? undefined);
          records += 1;
        }
      }
      from = end + 1;
    }
    if (records + rejected.length > 0) yield unpackChunk(packer.pack({ rejected, empty: [] }));
  }
}

/** The text of a part: the lines above its rows, and the rows. */
export async function* readPartRows(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const lines of wholeLines(pieces)) {
    for (let from = 0; from < lines.length;) {
      const end = lines.indexOf(LINE_FEED, from);
      yield Buffer.from(textOf(lines.subarray(from, end)));
      from = end + 1;
    }
  }
}

/** The text at the end of a line: the lines above the rows, or a row. */
function textOf(line: Buffer): string {
  return JSON.parse(line.toString("utf8", line.lastIndexOf(TAB) + 1)) as string;
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
