import { boundMatching } from "../fields/record/bound-matching.ts";
import { RowExaminer } from "../fields/record/examine-row.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import { jsonBuilder, plainWriter } from "../fields/record/record-writer.ts";
import { CLOSER_LOOK, UPDATE } from "../kernel/plain-rows.ts";
import type { PlainWriter } from "../kernel/write.ts";
import { RecPushError } from "../model/failure.ts";
import type { RejectedRow, RowChunk, RowList, UnreadableRow } from "../model/problem-groups.ts";
import type { InspectionSoFar } from "../read/inspect-source.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows } from "../read/read-rows.ts";
import type { Slice } from "../read/slice.ts";
import type { Source } from "../read/source/source.ts";
import {
  type Allocate,
  type EmptyRow,
  headBytes,
  NUMBER_BYTES,
  NUMBERS,
  type PackedChunk,
  type PreparedChunk,
  TWO_TO_32,
  unpackChunk,
} from "./leave-totals-out.ts";

const COMMA = 0x2c;
const FIRST_TEXT_BYTES = 262_144;
const FIRST_KEY_BYTES = 16_384;
const FIRST_RECORDS = 1024;
/** Fewer are copied sooner one by one. */
const FEW_BYTES = 512;
/** Any character that is not in Latin-1. */
const WIDE = /[^\0-\u00ff]/;

/** Where a row is. */
type PackedRow = Pick<RejectedRow, "line" | "start" | "end">;

/** Collects the records of one chunk after another; each is written byte by byte. */
export class RecordPacker {
  /** Where the next record is written: in `text` from `at` on, after {@link reserve}. */
  text: Buffer = Buffer.allocUnsafeSlow(FIRST_TEXT_BYTES);
  at = 0;
  #records = 0;
  #numbers = new Uint32Array(FIRST_RECORDS * NUMBERS);
  #keys: Buffer = Buffer.allocUnsafeSlow(FIRST_KEY_BYTES);
  #keyBytes = 0;
  #hasAsciiKeys = true;

  /** Makes room for a record of this size. */
  reserve(bytes: number): void {
    const needed = this.at + bytes + 1;
    if (needed > this.text.length) this.text = grown(this.text, this.at, needed);
    const numbersNeeded = (this.#records + 1) * NUMBERS;
    if (numbersNeeded > this.#numbers.length) {
      const numbers = new Uint32Array(Math.max(numbersNeeded, this.#numbers.length * 2));
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
  }

  /** Adds the record of a row that was written up to `end`; `key` is `undefined` if it has none. */
  add(row: PackedRow, end: number, key: string | undefined): void {
    if (key === undefined) {
      this.#add(row, end, 0);
      return;
    }
    this.#reserveKey(key.length * 3);
    const bytes = this.#keys.write(key, this.#keyBytes);
    this.#hasAsciiKeys &&= bytes === key.length;
    this.#keyBytes += bytes;
    this.#add(row, end, key.length + 1);
  }

  /** The same for a key that is in the record unchanged, in ASCII; an empty one counts as none. */
  addWritten(row: PackedRow, end: number, keyStart: number, keyEnd: number): void {
    const { text } = this;
    const length = keyEnd - keyStart;
    this.#reserveKey(length);
    const keys = this.#keys;
    let to = this.#keyBytes;
    for (let from = keyStart; from < keyEnd; from++) keys[to++] = text[from]!;
    this.#keyBytes = to;
    this.#add(row, end, length === 0 ? 0 : length + 1);
  }

  /**
   * Packs the collected records, with the rows that are not records, into the buffer that `allocate` returns; then
   * starts again.
   */
  pack({ rejected, empty }: Omit<PreparedChunk, "records">, allocate: Allocate): PackedChunk {
    const others = rejected.length + empty.length === 0 ? "" : JSON.stringify({ rejected, empty });
    const keys = this.#keys.subarray(0, this.#keyBytes);
    const wide = this.#hasAsciiKeys ? undefined : keys.toString();
    const hasWideKeys = wide !== undefined && WIDE.test(wide);
    const layout = {
      records: this.#records,
      keyBytes: wide === undefined ? keys.length : hasWideKeys ? 2 * wide.length : wide.length,
      hasWideKeys,
      otherBytes: Buffer.byteLength(others),
      updateBytes: this.#updateBytes(),
      textBytes: Math.max(0, this.at - 1),
    };
    const bytes = allocate(headBytes(layout) + layout.textBytes);
    const numbers = new Uint32Array(bytes.buffer, 0, this.#records * NUMBERS);
    numbers.set(this.#numbers.subarray(0, numbers.length));
    let to = this.#records * NUMBERS * NUMBER_BYTES;
    to +=
      wide === undefined ? keys.copy(bytes, to) : bytes.write(wide, to, hasWideKeys ? "utf16le" : "latin1");
    to += bytes.write(others, to);
    this.#copyTexts(bytes, to, layout.updateBytes);
    this.at = 0;
    this.#records = 0;
    this.#keyBytes = 0;
    this.#hasAsciiKeys = true;
    return { layout, bytes };
  }

  #updateBytes(): number {
    const end = this.#records * NUMBERS;
    let bytes = 0;
    for (let from = 0; from < end; from += NUMBERS)
      if (this.#numbers[from + 5] !== 0) bytes += this.#numbers[from + 4]! + 1;
    return bytes;
  }

  /** Copies the texts of the updates and then those of the creates, each with the comma behind it, but for the last. */
  #copyTexts(target: Buffer, to: number, updateBytes: number): void {
    const { text } = this;
    const numbers = this.#numbers;
    const end = this.#records * NUMBERS;
    let createTo = to + updateBytes;
    let updateTo = 0;
    let at = 0;
    for (let from = 0; from < end;) {
      const start = at;
      for (; from < end && numbers[from + 5] !== 0; from += NUMBERS) at += numbers[from + 4]! + 1;
      // In the same memory, because a copy from one to another takes longer to begin than the few bytes of most take.
      if (updateTo < start) text.copyWithin(updateTo, start, at);
      updateTo += at - start;
      let next = at;
      for (; from < end && numbers[from + 5] === 0; from += NUMBERS) next += numbers[from + 4]! + 1;
      if (next - at > FEW_BYTES) createTo += text.copy(target, createTo, at, next);
      else for (let byte = at; byte < next; byte++) target[createTo++] = text[byte]!;
      at = next;
    }
    text.copy(target, to, 0, updateBytes);
  }

  #add({ line, start, end: rowEnd }: PackedRow, end: number, keyLength: number): void {
    const numbers = this.#numbers;
    const to = this.#records * NUMBERS;
    numbers[to] = line;
    numbers[to + 1] = Math.floor(start / TWO_TO_32);
    numbers[to + 2] = start;
    numbers[to + 3] = rowEnd - start;
    numbers[to + 4] = end - this.at;
    numbers[to + 5] = keyLength;
    this.#records += 1;
    this.text[end] = COMMA;
    this.at = end + 1;
  }

  #reserveKey(bytes: number): void {
    const needed = this.#keyBytes + bytes;
    if (needed > this.#keys.length) this.#keys = grown(this.#keys, this.#keyBytes, needed);
  }
}

function grown(buffer: Buffer, used: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * buffer.length));
  buffer.copy(larger, 0, 0, used);
  return larger;
}

/** An input whose records are to be made. */
export interface PlannedInput {
  readonly source: Source;
  readonly inspection: InspectionSoFar;
  readonly plan: FieldPlan;
  /** Only these rows are wanted; read alone if that is possible. */
  readonly part?: Slice & { readonly isAlone: boolean };
}

/** How the rows of an input are read and judged a second time. Plain data except for the plan. */
export interface PrepareOptions {
  readonly read: ReadOptions;
  /** True if only creates are wanted: rows that are updates at first sight are then in no list. */
  readonly createsOnly?: boolean;
}

/**
 * The second pass over an input: its rows as records ready to send, chunk by chunk in file order. Throws an input error
 * if the source is no longer what was inspected.
 */
export async function* prepareRecords(
  input: PlannedInput,
  options: PrepareOptions,
): AsyncGenerator<PreparedChunk> {
  for await (const { layout, bytes } of packRecords(input, options, (size) => Buffer.allocUnsafeSlow(size))) {
    yield unpackChunk(layout, bytes, bytes.subarray(headBytes(layout)));
  }
}

/** The same as packed bytes, in the buffers that `allocate` returns. */
export async function* packRecords(
  { source, inspection, plan, part }: PlannedInput,
  { read, createsOnly = false }: PrepareOptions,
  allocate: Allocate,
): AsyncGenerator<PackedChunk> {
  const builder = new ChunkBuilder(plan, createsOnly);
  const isBounded = plan.fields.some(({ isChecked }) => isChecked);
  const slice = part?.isAlone === true ? part : undefined;
  for await (const chunk of readRows(source, inspection, read, slice)) {
    const build = (): PackedChunk => builder.build(chunk, allocate);
    const packed = isBounded ? boundMatching(build) : build();
    chunk.rows.release();
    yield packed;
  }
}

/** The most bytes of UTF-8 for one UTF-16 unit. */
const MOST_BYTES_A_CHAR = 3;

/** Turns rows into records, judged as the survey judged them: the only way from rows to chunks. */
export class ChunkBuilder {
  readonly #plan: FieldPlan;
  readonly #writer: PlainWriter | undefined;
  readonly #examiner: RowExaminer;
  readonly #buildJson: () => string;
  readonly #packer = new RecordPacker();
  readonly #createsOnly: boolean;
  #columns: readonly string[] = [];
  #checkedColumns = 0;

  /** `createsOnly`: passes over plain rows that are updates; `isCareful`: false if plain rows may be written as such. */
  constructor(plan: FieldPlan, createsOnly = false, isCareful = false) {
    this.#plan = plan;
    this.#createsOnly = createsOnly;
    this.#writer = isCareful ? undefined : plainWriter(plan);
    this.#examiner = new RowExaminer(plan.fields, plan.rules);
    this.#buildJson = jsonBuilder(plan, this.#examiner.given);
  }

  /**
   * Turns the next rows of a pass into records, in the buffer that `allocate` returns. Throws an input error if the
   * columns are not those of the plan.
   */
  build({ columns, rows, unreadable }: RowChunk, allocate: Allocate): PackedChunk {
    this.#checkColumns(columns);
    const rejected = unreadable.map(toRejected);
    const empty: EmptyRow[] = [];
    for (let at = 0; at < rows.length; at++) {
      if (this.#writer !== undefined && this.#writePlain(this.#writer, rows, at)) continue;
      const row = rows.row(at);
      const verdict = this.#examiner.examine(row);
      if (verdict === "skipped") {
        empty.push({ line: row.line, start: row.start });
      } else if (verdict !== "record") {
        const { line, start, end } = row;
        rejected.push({ line, start, end, key: this.#examiner.key, problems: verdict });
      } else {
        this.#writeExamined(row);
      }
    }
    if (unreadable.length > 0) rejected.sort((left, right) => left.start - right.start);
    return this.#packer.pack({ rejected, empty }, allocate);
  }

  /** Writes the record of a plain row straight from its bytes; false if the row needs a closer look. */
  #writePlain(writer: PlainWriter, rows: RowList, at: number): boolean {
    const spans = rows.spans(at);
    if (spans === undefined) return false;
    const firstCell = rows.firstCell(at);
    const kind = writer.look(spans, firstCell, rows.width(at));
    if (kind === CLOSER_LOOK) return false;
    if (this.#createsOnly && kind === UPDATE) return true;
    const [start, end] = [rows.start(at), rows.end(at)];
    const packer = this.#packer;
    packer.reserve(writer.mostBytes(end - start));
    const written = writer.write(spans, firstCell, packer.text, packer.at);
    packer.addWritten({ line: rows.line(at), start, end }, written, writer.keyStart, writer.keyEnd);
    return true;
  }

  #writeExamined(row: PackedRow): void {
    const packer = this.#packer;
    const json = this.#buildJson();
    packer.reserve(json.length * MOST_BYTES_A_CHAR);
    packer.add(row, packer.at + packer.text.write(json, packer.at), this.#examiner.key);
  }

  // JSON members turn up while reading, so a chunk may know fewer of them than the plan, and more than the chunk
  // before.
  #checkColumns(columns: readonly string[]): void {
    const { file, headers } = this.#plan;
    if (columns !== this.#columns) this.#checkedColumns = 0;
    this.#columns = columns;
    for (; this.#checkedColumns < columns.length; this.#checkedColumns++) {
      if (columns[this.#checkedColumns] !== headers[this.#checkedColumns]) throw inputChanged(file);
    }
  }
}

/** Adds a row that could not be read to those that cannot be sent. */
function toRejected({ start, end, ...problem }: UnreadableRow): RejectedRow {
  return { line: problem.line, start, end, key: undefined, problems: [problem] };
}

function inputChanged(file: string): RecPushError {
  return new RecPushError(
    "input",
    "input-changed",
    `${file} changed while it was read: its columns are not those of the survey`,
    {
      hint: "run the command again when nothing writes to the file",
      place: { file },
    },
  );
}
