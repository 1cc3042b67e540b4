import type { PreparedRecord } from "../model/record.ts";
import type { Target } from "./target.ts";

/** The body that carries these records, in UTF-8. */
export function buildBody(records: readonly PreparedRecord[], { before, after }: Target["envelope"]): Buffer {
  return Buffer.from(before + records.map(({ json }) => json).join(",") + after);
}

/** Bytes of a body without any record. */
export function envelopeBytes({ before, after }: Target["envelope"]): number {
  return Buffer.byteLength(before) + Buffer.byteLength(after);
}
