import { Readable } from "node:stream";
import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { inputError } from "../input-error.ts";

/** How a stored input is compressed, detected from its first bytes. */
export type Packing = "gzip" | "zstd";

/** RFC 1952 section 2.3.1 and RFC 8878 section 3.1.1. Needs the first four bytes. */
export function readPacking(head: Buffer): Packing | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) {
    return "gzip";
  }
  return head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528 ? "zstd" : undefined;
}

const UNPACKED_CHUNK_BYTES = 65_536;

/** The part of node:zlib that not every Node has. */
interface MaybeZstd {
  readonly createZstdDecompress?: ((options: { chunkSize: number }) => Transform) | undefined;
}

const HERE: MaybeZstd = { createZstdDecompress: undefined, ...zlib };

/**
 * Decompresses while reading. Throws an input error if the compressed bytes end early or are damaged, or if Node lacks
 * zstd.
 */
export async function* unpack(
  chunks: AsyncIterable<Buffer>,
  packing: Packing,
  file: string,
  zstd: MaybeZstd = HERE,
): AsyncGenerator<Buffer> {
  const stream = createUnpacker(packing, file, zstd);
  const packed = Readable.from(chunks, { objectMode: false });
  packed.on("error", (error) => stream.destroy(error));
  packed.pipe(stream);
  try {
    for await (const chunk of stream) {
      yield chunk as Buffer;
    }
  } catch (error) {
    throw asUnpackError(error, packing, file);
  } finally {
    packed.destroy();
    stream.destroy();
  }
}

function createUnpacker(packing: Packing, file: string, zstd: MaybeZstd): Transform {
  if (packing === "gzip") {
    return zlib.createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES });
  }
  if (zstd.createZstdDecompress === undefined) {
    throw inputError(
      { file },
      "zstd-needs-newer-node",
      `the file is packed with zstd, which Node ${process.versions.node} cannot unpack`,
      { hint: "use Node 22.15 or newer, or unpack it first: zstd -d" },
    );
  }
  return zstd.createZstdDecompress({ chunkSize: UNPACKED_CHUNK_BYTES });
}

function asUnpackError(error: unknown, packing: Packing, file: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!/^(Z_|ZSTD_|ERR_ZSTD|ERR_ZLIB)/.test(code)) {
    return error;
  }
  const isTruncated = code === "Z_BUF_ERROR";
  return inputError(
    { file },
    `${isTruncated ? "truncated" : "damaged"}-${packing}`,
    isTruncated ? `the file ends before its ${packing} data is complete` : `the ${packing} data is damaged`,
    { hint: "copy or export the file again", cause: error },
  );
}
