import type { PreparedRecord } from "../../../src/model/record.ts";

export function update(line: number, key = `C${line}`, value = `v${line}`): PreparedRecord {
  return {
    line,
    key,
    row: line - 2,
    ordinal: line - 2,
    json: JSON.stringify({ cle: key, num_commande: value }),
  };
}

export function create(line: number, value = `v${line}`): PreparedRecord {
  return {
    line,
    key: undefined,
    row: line - 2,
    ordinal: line - 2,
    json: JSON.stringify({ num_commande: value }),
  };
}

/** `count` of them, from line 2 on, as behind a header. */
export function updates(count: number, firstLine = 2): PreparedRecord[] {
  return Array.from({ length: count }, (_, i) => update(i + firstLine));
}

export function creates(count: number): PreparedRecord[] {
  return Array.from({ length: count }, (_, i) => create(i + 2));
}

export async function* inChunks(
  records: readonly PreparedRecord[],
  size = 100,
): AsyncGenerator<readonly PreparedRecord[], void, void> {
  for (let i = 0; i < records.length; i += size) yield records.slice(i, i + size);
}
