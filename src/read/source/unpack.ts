import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { inputError } from "../input-error.ts";
import { unpackZstd } from "./unpack-zstd.ts";

/** How a stored input is compressed, detected from its first bytes. */
export type Packing = "gzip" | "zstd";

/** RFC 1952 section 2.3.1 and RFC 8878 section 3.1. Needs the first four bytes. */
export function readPacking(head: Buffer): Packing | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) {
    return "gzip";
  }
  if (head.length < 4) return undefined;
  const magic = head.readUInt32LE(0);
  // A file may begin with a frame that is to be skipped, as pzstd writes it.
  return magic === 0xfd2fb528 || (magic & ~0xf) >>> 0 === 0x184d2a50 ? "zstd" : undefined;
}

const UNPACKED_CHUNK_BYTES = 65_536;

/** Unpacks while reading. Throws an input error if the packed bytes end early or are damaged. */
export function unpack(
  chunks: AsyncIterable<Buffer>,
  packing: Packing,
  file: string,
): AsyncGenerator<Buffer> {
  return packing === "gzip" ? unpackGzip(chunks, file) : unpackZstd(chunks, file);
}

/** All members of the file, one after the other (RFC 1952 section 2.2). */
async function* unpackGzip(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES });
  const packed = Readable.from(chunks, { objectMode: false });
  packed.on("error", (error) => stream.destroy(error));
  packed.pipe(stream);
  try {
    for await (const chunk of stream) {
      yield chunk as Buffer;
    }
  } catch (error) {
    throw asUnpackError(error, file);
  } finally {
    packed.destroy();
    stream.destroy();
  }
}

function asUnpackError(error: unknown, file: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!/^(Z_|ERR_ZLIB)/.test(code)) {
    return error;
  }
  const isTruncated = code === "Z_BUF_ERROR";
  return inputError(
    { file },
    isTruncated ? "truncated-gzip" : "damaged-gzip",
    isTruncated ? "the file ends before its gzip data is complete" : "the gzip data is damaged",
    { hint: "copy or export the file again", cause: error },
  );
}
