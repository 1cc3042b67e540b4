import type { PreparedRecord } from "../../src/model/record.ts";

/** A record, whose kind follows from its key. */
export function toRecord(record: Omit<PreparedRecord, "kind">): PreparedRecord {
  return { ...record, kind: record.key === undefined ? "create" : "update" };
}
