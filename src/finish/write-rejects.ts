import { interruption } from "../model/interruption.ts";
import { mendedDecimal } from "../model/decimal-of.ts";
import type { RowsKind } from "../model/marker-columns.ts";
import { ContentCursor } from "../read/text/content-cursor.ts";
import { createEncoder, readMark, type Encoder } from "../read/text/encode.ts";
import { openContent } from "../read/read-rows.ts";
import { PrivateFile } from "../state/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { CsvRejects } from "./csv-rejects.ts";
import { JsonRejects } from "./json-rejects.ts";
import type { RejectsFormat } from "./rejects-format.ts";
import { SheetRejects } from "./sheet-rejects.ts";
import type { Verdict } from "./verdict-log.ts";

/** A file of rows that is complete, but not yet in its place. */
export interface CompleteFile {
  readonly kind: RowsKind;
  readonly sha256: string;
  readonly rows: number;
}

/** A file of rows in its place; a file without rows is not made. */
export interface RowsFile {
  readonly path: string;
  readonly rows: number;
}

/** Which rows go to which file, and where. */
export interface RowsTarget {
  readonly kindOf: (verdict: Verdict) => RowsKind;
  /** Where a file of that kind is written before it is moved to its place. */
  readonly draftOf: (kind: RowsKind) => string;
  /** Called with a file before it is moved to its place; returns its path, in the same directory. */
  readonly place: (file: CompleteFile) => Promise<string>;
  /** An interruption is thrown once it is set. */
  readonly abort: AbortSignal;
}

/**
 * Writes rows of one input in a single pass over its content: in its own format and encoding, the text copied
 * unchanged.
 */
export async function writeRejects(
  input: SurveyedInput,
  verdicts: AsyncIterable<readonly Verdict[]>,
  { kindOf, draftOf, place, abort }: RowsTarget,
): Promise<ReadonlyMap<RowsKind, RowsFile>> {
  const { source, inspection } = input;
  const { reading } = inspection;
  const format = await rejectsFormat(input);
  const cursor = new ContentCursor(openContent(source, inspection));
  const encoder = createEncoder(reading.encoding);
  const mark = await readMark(source);
  const headOf = await format.head(cursor);
  const drafts = new Map<RowsKind, Draft>();
  const draftFor = (kind: RowsKind): Draft => {
    const known = drafts.get(kind);
    if (known !== undefined) return known;
    const head = Buffer.concat([mark, encoder.encode(headOf(kind))]);
    const draft = new Draft(draftOf(kind), head, encoder);
    drafts.set(kind, draft);
    return draft;
  };
  const written = new Map<RowsKind, RowsFile>();
  try {
    for await (const block of verdicts) {
      for (const verdict of block) {
        if (abort.aborted) throw interruption();
        const kind = kindOf(verdict);
        await draftFor(kind).add(format.row(cursor.bytes(verdict.start, verdict.end), kind, verdict));
      }
    }
    for (const [kind, draft] of drafts) {
      const path = await draft.commit((sha256) => place({ kind, sha256, rows: draft.rows }));
      written.set(kind, { path, rows: draft.rows });
    }
  } finally {
    for (const draft of drafts.values()) await draft.discard();
    await cursor.close();
  }
  return written;
}

async function rejectsFormat({
  inspection: { reading },
  plan,
  report,
}: SurveyedInput): Promise<RejectsFormat> {
  if (reading.format === "xlsx") return new SheetRejects(reading, plan, mendedDecimal(report));
  if (reading.format === "csv") return new CsvRejects(reading);
  // What read the input is loaded already.
  const { splitMembers } = await import("../read/json/read-json.ts");
  return new JsonRejects(splitMembers);
}

class Draft {
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

  commit(place: (sha256: string) => Promise<string>): Promise<string> {
    return this.#file.commit(place);
  }

  discard(): Promise<void> {
    return this.#file.discard();
  }
}
