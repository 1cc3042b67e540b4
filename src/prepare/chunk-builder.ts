import { RecPushError } from "../model/failure.ts";
import type { RejectedRow, Row, RowChunk, SpannedRow, UnreadableRow } from "../model/row.ts";
import { CLOSER_LOOK } from "../fields/record/cell-writers.ts";
import { BulkStart } from "../fields/bulk/bulk-start.ts";
import { BulkWriter, type WrittenRecords } from "../fields/bulk/bulk-writer.ts";
import { RowExaminer } from "../fields/record/examine-row.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import { jsonBuilder } from "../fields/record/json-builder.ts";
import { RecordWriter } from "../fields/record/record-writer.ts";
import type { Allocate, EmptyRow, PackedChunk } from "./packed-chunk.ts";
import { RecordPacker } from "./record-packer.ts";

/** The most bytes of UTF-8 for one UTF-16 unit. */
const MOST_BYTES_A_CHAR = 3;

/** Turns rows into records, judged as the survey judged them: the only way from rows to chunks. */
export class ChunkBuilder {
  readonly #plan: FieldPlan;
  readonly #writer: RecordWriter;
  readonly #examiner: RowExaminer;
  readonly #buildJson: () => string;
  readonly #packer = new RecordPacker();
  readonly #createsOnly: boolean;
  readonly #bulk: BulkStart<BulkWriter>;
  #columns: readonly string[] = [];
  #checkedColumns = 0;

  /** `createsOnly`: passes over rows that are updates at first sight. */
  constructor(plan: FieldPlan, createsOnly = false, bulkFrom?: number) {
    this.#plan = plan;
    this.#bulk = new BulkStart(() => (createsOnly ? undefined : BulkWriter.open(plan)), bulkFrom);
    this.#createsOnly = createsOnly;
    this.#writer = new RecordWriter(plan);
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
    const bulk = this.#bulk.forRows(rows.length);
    for (let at = 0; at < rows.length; at++) {
      if (bulk !== undefined) {
        at = bulk.write(rows, at, this.#take);
        if (at === rows.length) break;
      }
      const row = rows.row(at);
      if (this.#createsOnly && this.#writer.isUpdate(row)) continue;
      if (this.#write(row)) continue;
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

  readonly #take = (written: WrittenRecords): void => this.#packer.addAll(written);

  /** Writes the record of a row straight from its bytes; false if the row needs a closer look. */
  #write(row: Row): boolean {
    if (row.spans === undefined) return false;
    const writer = this.#writer;
    const packer = this.#packer;
    packer.reserve(writer.mostBytes(row.end - row.start));
    const end = writer.write(row as SpannedRow, packer.text, packer.at);
    if (end === CLOSER_LOOK) return false;
    packer.addWritten(row, end, writer.keyStart, writer.keyEnd);
    return true;
  }

  #writeExamined(row: Row): void {
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
