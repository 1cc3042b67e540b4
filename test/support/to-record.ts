import type { PreparedRecord } from "../../src/model/record.ts";

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
