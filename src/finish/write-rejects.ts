import { resolve } from "node:path";
import { DEFAULT_MAX_ROW_BYTES } from "../read/read-options.ts";
import { ContentCursor } from "../read/text/content-cursor.ts";
import { createEncoder, readMark, type Encoder } from "../read/text/encode.ts";
import { openContent } from "../read/read-rows.ts";
import { PrivateFile } from "../state/private-file.ts";
import { CsvRejects } from "./csv-rejects.ts";
import { JsonRejects } from "./json-rejects.ts";
import { textOf } from "./review-rows.ts";
import type { WrittenFile } from "./kept-place.ts";
import { reviewOutcomes, type Review } from "./review-rejects.ts";

/** Where the rejects of one input go. */
export interface RejectsPlace {
  readonly rejects: string;
  /** Rejects whose key had a later accepted row. */
  readonly superseded: string;
}

/** How many rows went where; a file without rows is not made. */
export interface RowsWritten {
  readonly rejects: number;
  readonly superseded: number;
}

/**
 * Writes the rejects of one input in one pass over it: in its own format and encoding, text copied as it was.
 * `isSuperseded` is asked by number among the rejects; `beforeCommit` hears what a file holds before it is
 * put in its place.
 */
export async function writeRejects(
  review: Review,
  input: number,
  place: RejectsPlace,
  isSuperseded: (reject: number) => boolean,
  beforeCommit: (file: Required<WrittenFile>) => Promise<void>,
): Promise<RowsWritten> {
  const { source, inspection } = review.inputs[input]!;
  const { reading } = inspection;
  const maxRowBytes = review.request.read.maxRowBytes ?? DEFAULT_MAX_ROW_BYTES;
  const format = reading.format === "csv" ? new CsvRejects(reading, maxRowBytes) : new JsonRejects();
  const cursor = new ContentCursor(openContent(source, inspection));
  const encoder = createEncoder(reading.encoding);
  const mark = await readMark(source);
  const head = Buffer.concat([mark, encoder.encode(await format.head(cursor))]);
  const rejects = new RowsFile(place.rejects, head, encoder);
  const superseded = new RowsFile(place.superseded, head, encoder);
  let reject = 0;
  try {
    for await (const rows of reviewOutcomes(review, input)) {
      for (const { row, rejection } of rows) {
        if (rejection === undefined) continue;
        const file = isSuperseded(reject++) ? superseded : rejects;
        await file.add(format.row(cursor, textOf(row), rejection));
      }
    }
    await rejects.commit(beforeCommit);
    await superseded.commit(beforeCommit);
  } finally {
    await rejects.discard();
    await superseded.discard();
    await cursor.close();
  }
  return { rejects: rejects.rows, superseded: superseded.rows };
}

class RowsFile {
  rows = 0;
  readonly #file: PrivateFile;
  readonly #head: Buffer;
  readonly #encoder: Encoder;

  constructor(path: string, head: Buffer, encoder: Encoder) {
    this.#file = new PrivateFile(path, "rejects");
    this.#head = head;
    this.#encoder = encoder;
  }

  async add(text: AsyncIterable<Buffer>): Promise<void> {
    if (this.rows++ === 0) await this.#file.write(this.#head);
    for await (const piece of text) await this.#file.write(this.#encoder.encode(piece));
  }

  async commit(before: (file: Required<WrittenFile>) => Promise<void>): Promise<void> {
    const { rows } = this;
    const { path } = this.#file;
    if (rows > 0) await this.#file.commit((sha256) => before({ sha256, path: resolve(path), rows }));
  }

  discard(): Promise<void> {
    return this.#file.discard();
  }
}
