import { resolve } from "node:path";
import { interruption } from "../model/interruption.ts";
import { ContentCursor } from "../read/text/content-cursor.ts";
import { createEncoder, readMark, type Encoder } from "../read/text/encode.ts";
import { openContent } from "../read/read-rows.ts";
import { PrivateFile } from "../state/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { CsvRejects } from "./csv-rejects.ts";
import { JsonRejects } from "./json-rejects.ts";
import type { RejectsPlace, WrittenFile } from "./kept-place.ts";
import type { Verdict } from "./verdict-log.ts";

/** How many rows went where; a file without rows is not made. */
export interface RowsWritten {
  readonly rejects: number;
  readonly superseded: number;
}

/** Control over the writing of rejects. */
interface WritingControl {
  /** Told what a file holds before it is put in its place. */
  readonly beforeCommit: (file: Required<WrittenFile>) => Promise<void>;
  readonly abort: AbortSignal;
}

/**
 * Writes the rejects of one input in one pass over its content: in its own format and encoding, text copied as it was.
 * Throws an interruption once `abort` is set.
 */
export async function writeRejects(
  { source, inspection }: SurveyedInput,
  verdicts: AsyncIterable<readonly Verdict[]>,
  place: RejectsPlace,
  { beforeCommit, abort }: WritingControl,
): Promise<RowsWritten> {
  const { reading } = inspection;
  const format = reading.format === "csv" ? new CsvRejects(reading) : new JsonRejects();
  const cursor = new ContentCursor(openContent(source, inspection));
  const encoder = createEncoder(reading.encoding);
  const mark = await readMark(source);
  const head = Buffer.concat([mark, encoder.encode(await format.head(cursor))]);
  const rejects = new RowsFile(place.rejects, head, encoder);
  const superseded = new RowsFile(place.superseded, head, encoder);
  try {
    for await (const block of verdicts) {
      for (const verdict of block) {
        if (abort.aborted) throw interruption();
        const file = verdict.isSuperseded ? superseded : rejects;
        await file.add(format.row(cursor.bytes(verdict.start, verdict.end), verdict));
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
