import {
  type ChunkRecords,
  type PreparedRecord,
  recordJson,
  type RecordKind,
  RecordList,
} from "../../src/model/settlement.ts";

/** A record, whose kind follows from its key. */
export function toRecord(record: Omit<PreparedRecord, "kind">): PreparedRecord {
  return { ...record, kind: record.key === undefined ? "create" : "update" };
}

const text = Buffer.from("{}");

/** A record without members; each line has ten bytes. */
export function emptyRecord(line: number, key?: string): PreparedRecord {
  const place = { line, rowStart: 10 * line, rowEnd: 10 * line + 10 };
  return toRecord({ ...place, key, ordinal: 0, text, start: 0, bytes: 2 });
}

/** A list of records that were made one by one, each as if it was all of its chunk. */
export function toRecords(records: readonly PreparedRecord[]): RecordList {
  const list = new RecordList();
  for (const record of records) list.add(new OneRecord(record), 0);
  return list;
}

/** What there is to know about a record, for comparing. */
export function shownRecord(record: PreparedRecord): unknown {
  const { line, rowStart, rowEnd, key, kind, ordinal } = record;
  return { line, rowStart, rowEnd, key, kind, ordinal, json: recordJson(record) };
}

class OneRecord implements ChunkRecords {
  readonly length = 1;
  readonly text: Buffer;
  readonly #record: PreparedRecord;
  #ordinal: number;

  constructor(record: PreparedRecord) {
    this.text = record.text;
    this.#record = record;
    this.#ordinal = record.ordinal;
  }

  line(): number {
    return this.#record.line;
  }

  rowStart(): number {
    return this.#record.rowStart;
  }

  rowEnd(): number {
    return this.#record.rowEnd;
  }

  key(): string | undefined {
    return this.#record.key;
  }

  kind(): RecordKind {
    return this.#record.kind;
  }

  ordinal(): number {
    return this.#ordinal;
  }

  setOrdinal(_index: number, ordinal: number): void {
    this.#ordinal = ordinal;
  }

  start(): number {
    return this.#record.start;
  }

  bytes(): number {
    return this.#record.bytes;
  }

  settled(): void {}
}
