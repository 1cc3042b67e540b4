import type { PreparedRecord, RecordList } from "../../../src/model/settlement.ts";
import { toRecord, toRecords } from "../../support/to-record.ts";

export function update(line: number, key = `C${line}`, value = `v${line}`): PreparedRecord {
  return record(line, key, JSON.stringify({ cle: key, num_commande: value }));
}

export function create(line: number, value = `v${line}`): PreparedRecord {
  return record(line, undefined, JSON.stringify({ num_commande: value }));
}

function record(line: number, key: string | undefined, json: string): PreparedRecord {
  const text = Buffer.from(json);
  return toRecord({
    line,
    rowStart: line,
    rowEnd: line + 1,
    key,
    ordinal: line - 2,
    text,
    start: 0,
    bytes: text.length,
  });
}

/** `count` updates, from line 2 on, as after a header. */
export function updates(count: number, firstLine = 2): PreparedRecord[] {
  return Array.from({ length: count }, (_, i) => update(i + firstLine));
}

export function creates(count: number): PreparedRecord[] {
  return Array.from({ length: count }, (_, i) => create(i + 2));
}

export async function* inChunks(
  records: readonly PreparedRecord[],
  size = 100,
): AsyncGenerator<RecordList, void, void> {
  for (let i = 0; i < records.length; i += size) yield toRecords(records.slice(i, i + size));
}
