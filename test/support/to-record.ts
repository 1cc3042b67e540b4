import {
  type ChunkRecords,
  type PreparedRecord,
  recordJson,
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
  for (const record of records) list.add(oneRecord(record), 0);
  return list;
}

/** What there is to know about a record, for comparing. */
export function shownRecord(record: PreparedRecord): unknown {
  const { line, rowStart, rowEnd, key, kind, ordinal } = record;
  return { line, rowStart, rowEnd, key, kind, ordinal, json: recordJson(record) };
}

function oneRecord(record: PreparedRecord): ChunkRecords {
  let { ordinal } = record;
  return {
    length: 1,
    text: record.text,
    line: () => record.line,
    rowStart: () => record.rowStart,
    rowEnd: () => record.rowEnd,
    key: () => record.key,
    kind: () => record.kind,
    ordinal: () => ordinal,
    setOrdinal: (_, to) => void (ordinal = to),
    start: () => record.start,
    bytes: () => record.bytes,
  };
}
