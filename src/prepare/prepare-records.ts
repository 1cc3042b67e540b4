import { oddProblem } from "../fields/odd/suspects.ts";
import {
  type ExaminedField,
  type FieldPlan,
  type GivenValues,
  plainColumn,
  plainRules,
  RowExaminer,
} from "../fields/record/field-plan.ts";
import { CLOSER_LOOK, UPDATE } from "../kernel/plain-rows.ts";
import { PlainWriter } from "../kernel/write.ts";
import {
  JsonNumber,
  type RejectedRow,
  type RowChunk,
  type RowList,
  type UnreadableRow,
} from "../model/rows.ts";
import type { Inspection } from "../read/inspect-source.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows } from "../read/read-rows.ts";
import type { Source } from "../read/source/source.ts";
import {
  type EmptyRow,
  type PackedChunk,
  type PackedRow,
  type PreparedChunk,
  RecordPacker,
  unpackChunk,
} from "./packed-chunk.ts";

/** Writes the records of plain rows from their bytes; `undefined` if all rows of a plan need a closer look. */
function plainWriter({ fields, parts: { specs }, rules, constants }: FieldPlan): PlainWriter | undefined {
  const plain = plainRules(fields, rules);
  if (plain === undefined) return undefined;
  const columns = fields.map((field, slot) => ({
    ...plainColumn(field, specs[slot]!.kind, rules),
    isAwaited: field.isRequired || field.fallback !== undefined,
    first: Buffer.from(`{${JSON.stringify(field.field)}:"`),
    next: Buffer.from(`",${JSON.stringify(field.field)}:"`),
    read: (text: string, isText: boolean) => readAgain(field, text, isText),
  }));
  const extras = [...constants]
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join("");
  return new PlainWriter(columns, plain, Buffer.from(`"${extras}}`));
}

/** The wire value of a cell, as its reader says. */
function readAgain({ take }: ExaminedField, text: string, isText: boolean): string | undefined {
  if (!isText && !/^[\d-]/.test(text)) return undefined;
  const value = take(isText ? text : new JsonNumber(text), 0);
  return typeof value === "string" ? value : undefined;
}

/** Makes the JSON text of the values last examined: members in column order, then constants, then defaults. */
function jsonBuilder({ fields, constants }: FieldPlan, given: GivenValues): () => string {
  const names = fields.map(({ field }) => JSON.stringify(field));
  const added = [...constants].map(([field, value]) => `${JSON.stringify(field)}:${JSON.stringify(value)}`);
  const fallbacks = fields.flatMap(({ fallback }, slot) =>
    fallback === undefined ? [] : [{ slot, member: `${names[slot]!}:${JSON.stringify(fallback)}` }],
  );
  return () => {
    const { slots, values } = given;
    // Lone surrogates become escapes, so that the text is always well-formed Unicode.
    const own = slots.map((slot, at) => `${names[slot]!}:${JSON.stringify(values[at])}`);
    const others = fallbacks.flatMap(({ slot, member }) => (slots.includes(slot) ? [] : member));
    return `{${[...own, ...added, ...others].join(",")}}`;
  };
}

/** An input whose records are to be made. */
export interface PlannedInput {
  readonly source: Source;
  readonly inspection: Inspection;
  readonly plan: FieldPlan;
  /** For a part of a plan: its records, which are made already. */
  readonly part?: { readonly records: () => AsyncIterable<PreparedChunk> };
}

/** How the rows of an input are read and judged a second time. Plain data except for the plan. */
export interface PrepareOptions {
  readonly read: ReadOptions;
  /** True if only creates are wanted: rows that are certainly updates are then in no list. */
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
  if (input.part !== undefined) return yield* input.part.records();
  for await (const packed of packRecords(input, options)) yield unpackChunk(packed);
}

/** Like {@link prepareRecords}, as packed bytes. */
export async function* packRecords(
  { source, inspection, plan }: PlannedInput,
  { read, createsOnly = false }: PrepareOptions,
): AsyncGenerator<PackedChunk> {
  const builder = new ChunkBuilder(plan, createsOnly);
  for await (const chunk of readRows(source, inspection, read)) yield builder.build(chunk);
}

/** The most bytes of UTF-8 for one UTF-16 unit. */
const MOST_BYTES_A_CHAR = 3;

const NO_SUSPECTS: Pick<NonNullable<FieldPlan["suspects"]>, "starts" | "kinds"> = { starts: [], kinds: [] };

/** Turns rows into records, judged as the survey judged them: the only way from rows to chunks. */
export class ChunkBuilder {
  readonly #writer: PlainWriter | undefined;
  readonly #examiner: RowExaminer;
  readonly #buildJson: () => string;
  readonly #packer = new RecordPacker();
  readonly #createsOnly: boolean;
  readonly #suspects: Readonly<Pick<NonNullable<FieldPlan["suspects"]>, "starts" | "kinds">>;
  /** How many of the odd rows came so far. */
  #odd = 0;

  /** `createsOnly`: passes over plain rows that are updates; `isCareful`: false if plain rows may be written as such. */
  constructor(plan: FieldPlan, createsOnly = false, isCareful = false) {
    this.#createsOnly = createsOnly;
    this.#suspects = plan.suspects ?? NO_SUSPECTS;
    this.#writer = isCareful ? undefined : plainWriter(plan);
    this.#examiner = new RowExaminer(plan.fields, plan.rules);
    this.#buildJson = jsonBuilder(plan, this.#examiner.given);
  }

  /** Turns the next rows of a pass into records. Their columns are those of the survey: the content is proven the same. */
  build({ rows, unreadable }: RowChunk): PackedChunk {
    const rejected = unreadable.map(toRejected);
    const empty: EmptyRow[] = [];
    const { starts, kinds } = this.#suspects;
    for (let at = 0; at < rows.length; at++) {
      const isOdd = starts[this.#odd] === rows.start(at);
      if (!isOdd && this.#writer !== undefined && this.#writePlain(this.#writer, rows, at)) continue;
      const row = rows.row(at);
      const { line, start, end } = row;
      const verdict = isOdd ? "odd" : this.#examiner.examine(row);
      if (verdict === "odd") {
        const kind = kinds[this.#odd++];
        if (kind === undefined) empty.push({ line, start });
        else rejected.push({ line, start, end, key: undefined, problems: [oddProblem(row, kind)] });
      } else if (verdict === "skipped") {
        empty.push({ line, start });
      } else if (verdict !== "record") {
        const { key, filledFields: fields } = this.#examiner;
        rejected.push({ line, start, end, key, fields, problems: verdict });
      } else {
        this.#writeExamined(row);
      }
    }
    if (unreadable.length > 0) rejected.sort((left, right) => left.start - right.start);
    return this.#packer.pack({ rejected, empty });
  }

  /** Writes the record of a plain row straight from its bytes; false if the row needs a closer look. */
  #writePlain(writer: PlainWriter, rows: RowList, at: number): boolean {
    const spans = rows.spans(at);
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
    const { key } = this.#examiner;
    const json = this.#buildJson();
    packer.reserve(json.length * MOST_BYTES_A_CHAR);
    packer.add(row, packer.at + packer.text.write(json, packer.at), key);
  }
}

/** Adds a row that could not be read to those that cannot be sent. */
function toRejected({ start, end, ...problem }: UnreadableRow): RejectedRow {
  return { line: problem.line, start, end, key: undefined, problems: [problem] };
}
