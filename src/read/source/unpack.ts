import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { inputError } from "../input-error.ts";

const UNPACKED_CHUNK_BYTES = 65_536;

/**
 * Unpacks while reading: all members of the file, one after the other (RFC 1952 section 2.2). Throws an input error if the
 * packed bytes end early or are damaged.
 */
export async function* unpackGzip(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
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
