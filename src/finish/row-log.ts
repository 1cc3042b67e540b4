import { recordJson, type PreparedRecord, type RecordKind } from "../model/record.ts";
import type { LeftOutReason, SelectedChunk } from "../prepare/select.ts";
import { readKeys, writeKeys } from "../state/key-text.ts";
import { Spill } from "../state/spill.ts";
import { describeProblems } from "./rejection.ts";

/** A row as the results name it. */
interface NamedRow {
  readonly line: number;
  readonly key: string | undefined;
  /** The values of the identity's fields, in order; absent if there is no identity or the values cannot be read. */
  readonly identity?: readonly (string | null)[];
}

/** A row that was never a record to send, and the reason. */
export type LeftRow = NamedRow & { readonly outcome: "rejected" | "skipped"; readonly msg: string };

type LoggedRow = LeftRow | (NamedRow & { readonly ordinal: number });

/** Records of one kind that follow each other in the file, without a row between, and in the order of sending. */
export interface LoggedRecords {
  readonly kind: RecordKind;
  readonly count: number;
  readonly firstOrdinal: number;
  readonly firstLine: number;
  /** From one record's line to the next one's: 0 if the file has no line feeds. */
  readonly linesApart: number;
  /** By record; `undefined` for creates. */
  readonly keys: readonly string[] | undefined;
  /** By record; `undefined` if there is no identity. */
  readonly identities: readonly (readonly (string | null)[])[] | undefined;
}

const LEFT_OUT: Readonly<Record<Exclude<LeftOutReason, "settled">, string>> = {
  repeated: "a later row has the same key",
  created: "it was created before",
  inDoubt: "an earlier push left it in doubt: sent, and what became of it is not known",
  changed: "it was created before with other values",
};

/** Keeps a line for every row of the inputs, in file order, in private files, for the results. */
export class RowLog {
  readonly #spill: Spill;
  readonly #identity: readonly string[];

  /** `identity` names the fields whose values are kept as well. */
  constructor(directory: string, identity: readonly string[] = []) {
    this.#spill = new Spill(directory);
    this.#identity = identity;
  }

  /** Adds the next chunk of an input; with `isPushed`, none of it is sent because it was pushed before. */
  async add(input: number, chunk: SelectedChunk, isPushed = false): Promise<void> {
    const { records, leftOut, rejected, empty } = chunk;
    const stretch = new Stretch((text) => this.#spill.add(input, text));
    if (isPushed || leftOut.length + rejected.length + empty.length > 0) {
      for (const { row } of this.#rowsOf(chunk))
        stretch.add(isPushed ? skipped(row, "its file was pushed before") : row);
    } else {
      for (const record of records) stretch.add(this.#rowOf(record));
    }
    stretch.end();
    await this.#spill.settle();
  }

  /** The rows of an input in file order, several at a time. */
  async *read(input: number): AsyncGenerator<readonly (LoggedRecords | LeftRow)[]> {
    for await (const lines of this.#spill.read(input)) yield lines.map(readRows);
  }

  remove(): Promise<void> {
    return this.#spill.remove();
  }

  #rowsOf({ records, rejected, empty, leftOut }: SelectedChunk): readonly PlacedRow[] {
    const rows = [
      ...records.map((record) => this.#place(record)),
      ...leftOut.map(({ record, why }) => this.#place(record, why)),
      ...rejected.map(({ start, line, key, problems }): PlacedRow => {
        const { field, reason } = describeProblems(problems);
        const msg = field === "" ? reason : `${field}: ${reason}`;
        return { start, row: { line, key, outcome: "rejected", msg } };
      }),
      ...empty.map(({ start, line }) => ({
        start,
        row: skipped({ line, key: undefined }, "nothing to send"),
      })),
    ];
    return rows.sort((left, right) => left.start - right.start);
  }

  #place(record: PreparedRecord, why?: LeftOutReason): PlacedRow {
    const row = this.#rowOf(record);
    const isLeftOut = why !== undefined && why !== "settled";
    return { start: record.rowStart, row: isLeftOut ? skipped(row, reasonOf(why, record.key)) : row };
  }

  #rowOf(record: PreparedRecord): LoggedRow {
    const { line, key, ordinal } = record;
    if (this.#identity.length === 0) return { line, key, ordinal };
    const fields = JSON.parse(recordJson(record)) as Readonly<Record<string, string>>;
    return { line, key, identity: this.#identity.map((field) => fields[field] ?? null), ordinal };
  }
}

/** A stretch of records as a line of JSON; plain keys are written after the three numbers, see {@link writeKeys}. */
type WrittenRecords = readonly [
  firstLine: number,
  linesApart: number,
  firstOrdinal: number,
  keysOrCount: readonly string[] | number,
  identities: readonly (readonly (string | null)[])[] | null,
];

/** Brings the rows of a chunk together to stretches of records, each of which is written as one line. */
class Stretch {
  readonly #write: (text: string) => void;
  #count = 0;
  #firstLine = 0;
  #linesApart = 1;
  #firstOrdinal = 0;
  #keys: string[] = [];
  #identities: (readonly (string | null)[])[] = [];

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(row: LoggedRow): void {
    if (!("ordinal" in row)) {
      this.end();
      this.#write(JSON.stringify(row));
      return;
    }
    const { line, ordinal, key, identity } = row;
    if (this.#count === 1) this.#linesApart = line - this.#firstLine;
    if (!this.#goesOnWith(line, ordinal, key === undefined)) {
      this.end();
      this.#firstLine = line;
      this.#firstOrdinal = ordinal;
    }
    this.#count += 1;
    if (key !== undefined) this.#keys.push(key);
    if (identity !== undefined) this.#identities.push(identity);
  }

  /** Writes what there is. */
  end(): void {
    if (this.#count > 0) this.#write(this.#text());
    this.#count = 0;
    this.#keys = [];
    this.#identities = [];
  }

  #text(): string {
    const place = [this.#firstLine, this.#linesApart, this.#firstOrdinal] as const;
    if (this.#keys.length > 0 && this.#identities.length === 0)
      return `${place.join(" ")} ${writeKeys(this.#keys)}`;
    const written: WrittenRecords = [
      ...place,
      this.#keys.length === 0 ? this.#count : this.#keys,
      this.#identities.length === 0 ? null : this.#identities,
    ];
    return JSON.stringify(written);
  }

  #goesOnWith(line: number, ordinal: number, isCreate: boolean): boolean {
    return (
      this.#count > 0 &&
      (this.#keys.length === 0) === isCreate &&
      line === this.#firstLine + this.#count * this.#linesApart &&
      ordinal === this.#firstOrdinal + this.#count
    );
  }
}

function readRows(text: string): LoggedRecords | LeftRow {
  if (text.startsWith("{")) return JSON.parse(text) as LeftRow;
  const [firstLine, linesApart, firstOrdinal, keys, identities] = readRecords(text);
  const place = { firstLine, linesApart, firstOrdinal, identities: identities ?? undefined };
  return typeof keys === "number"
    ? { kind: "create", count: keys, keys: undefined, ...place }
    : { kind: "update", count: keys.length, keys, ...place };
}

function readRecords(text: string): WrittenRecords {
  if (text.startsWith("[")) return JSON.parse(text) as WrittenRecords;
  const second = text.indexOf(" ");
  const third = text.indexOf(" ", second + 1);
  const fourth = text.indexOf(" ", third + 1);
  return [
    Number(text.slice(0, second)),
    Number(text.slice(second + 1, third)),
    Number(text.slice(third + 1, fourth)),
    readKeys(text.slice(fourth + 1)),
    null,
  ];
}

interface PlacedRow {
  readonly start: number;
  readonly row: LoggedRow;
}

function reasonOf(why: Exclude<LeftOutReason, "settled">, key: string | undefined): string {
  return why === "repeated" && key === undefined ? "a later row has the same identity" : LEFT_OUT[why];
}

function skipped({ line, key, identity }: NamedRow, msg: string): LeftRow {
  return { line, key, ...(identity === undefined ? {} : { identity }), outcome: "skipped", msg };
}
