import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
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

/** What a body may be packed with. */
export type Compression = "gzip";

const pack = promisify(gzip);

/**
 * The packed body, made beside the main thread. At the lowest level: records shrink to a seventh, higher ones make it a
 * ninth and take up to thirty times as long.
 */
export function packBody(body: Buffer, compression: Compression): Promise<Buffer> {
  switch (compression) {
    case "gzip":
      return pack(body, { level: constants.Z_BEST_SPEED });
  }
}
