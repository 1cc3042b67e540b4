import type { PreparedRecord } from "../../model/record.ts";

/** What is known of a record beside its text. */
export type RecordPlace = Pick<PreparedRecord, "line" | "key" | "row" | "ordinal">;

/** Puts the texts of some records into one buffer, a comma between them. */
export function placeRecords(places: readonly RecordPlace[], jsons: readonly string[]): PreparedRecord[] {
  const joined = jsons.join(",");
  const text = Buffer.from(joined);
  // A character is one byte where all are; most exports hold no others for long stretches.
  const isAscii = text.length === joined.length;
  let start = 0;
  return places.map(({ line, key, row, ordinal }, at) => {
    const json = jsons[at]!;
    const bytes = isAscii ? json.length : Buffer.byteLength(json);
    const record = { line, key, row, ordinal, text, start, bytes };
    start += bytes + 1;
    return record;
  });
}
