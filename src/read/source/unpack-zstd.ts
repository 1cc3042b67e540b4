import type { Decompress } from "fzstd";
import type { XXHash, XXHashAPI } from "xxhash-wasm";
import { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { ByteReader } from "./byte-reader.ts";

/** RFC 8878 section 3.1. */
const FRAME = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const MOST_BLOCK_BYTES = 131_072;
const LEAST_WINDOW_BITS = 10;
/** As `zstd` itself takes it without `--long`: the window is in memory. */
const MOST_WINDOW_BYTES = 128 * 1024 ** 2;
const CHECKSUM = 4;
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;

interface FrameHeader {
  readonly bytes: Buffer;
  readonly windowBytes: number;
  /** Of the content, where the frame says it. */
  readonly contentBytes: bigint | undefined;
  readonly hasChecksum: boolean;
}

interface Tools {
  readonly Decompress: typeof Decompress;
  readonly hashes: XXHashAPI;
}

/**
 * Unpacks Zstandard: any number of frames, each block decoded alone, sizes and checksums compared. Node's own decoder
 * drops what comes after the first frame in 22 and errs late in 24. Throws an input error for bytes that are cut or damaged.
 */
export async function* unpackZstd(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  const tools = await loadTools();
  const reader = new ByteReader(chunks);
  try {
    for (;;) {
      const magic = await reader.take(4);
      if (magic.length === 0) return;
      if (magic.length < 4) throw truncated(file);
      const number = magic.readUInt32LE(0);
      if (number === FRAME) yield* readFrame(reader, tools, file);
      else if ((number & ~0xf) >>> 0 === SKIPPABLE) await skipFrame(reader, file);
      else throw damaged(file, "something else follows its last frame");
    }
  } finally {
    await reader.close();
  }
}

async function loadTools(): Promise<Tools> {
  const [fzstd, { default: xxhash }] = await Promise.all([import("fzstd"), import("xxhash-wasm")]);
  return { Decompress: fzstd.Decompress, hashes: await xxhash() };
}

async function* readFrame(reader: ByteReader, tools: Tools, file: string): AsyncGenerator<Buffer> {
  const header = await readHeader(reader, file);
  if (header.windowBytes > MOST_WINDOW_BYTES) {
    throw inputError(
      { file },
      "zstd-window",
      "it was packed with a window that takes more than 128 MiB of memory",
      {
        hint: "unpack it first (zstd -d --long=31), or pack it without --long",
      },
    );
  }
  const unpacked: Uint8Array[] = [];
  const decoder = new tools.Decompress((piece) => unpacked.push(piece));
  decoder.push(header.bytes);
  const hash: XXHash<bigint> = tools.hashes.create64();
  let bytes = 0n;
  for (let isLast = false; !isLast;) {
    const block = await readBlock(reader, file);
    isLast = block.isLast;
    decode(() => decoder.push(block.bytes, block.isLast) as void, file);
    for (const piece of unpacked.splice(0)) {
      bytes += BigInt(piece.length);
      if (header.hasChecksum) hash.update(piece);
      if (piece.length > 0) yield Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    }
  }
  if (header.contentBytes !== undefined && bytes !== header.contentBytes)
    throw damaged(file, "a frame has another size than it says");
  if (!header.hasChecksum) return;
  const checksum = await exactly(reader, 4, file);
  if (BigInt(checksum.readUInt32LE(0)) !== (hash.digest() & 0xffffffffn))
    throw damaged(file, "its checksum is wrong");
}

async function readHeader(reader: ByteReader, file: string): Promise<FrameHeader> {
  const descriptor = await exactly(reader, 1, file);
  const flags = descriptor[0]!;
  const isSingle = (flags & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][flags & 3]!;
  const sizeFlag = flags >> 6;
  const sizeBytes = sizeFlag === 0 ? Number(isSingle) : 1 << sizeFlag;
  if ((flags & 8) !== 0) throw damaged(file, "a frame has a mark that means nothing");
  const rest = await exactly(reader, (isSingle ? 0 : 1) + dictionaryBytes + sizeBytes, file);
  if (
    rest
      .subarray(isSingle ? 0 : 1)
      .subarray(0, dictionaryBytes)
      .some((byte) => byte !== 0)
  ) {
    throw inputError({ file }, "zstd-dictionary", "it was packed with a dictionary, which is not in it", {
      hint: "unpack it first: zstd -d -D DICTIONARY",
    });
  }
  const size = sizeBytes === 0 ? undefined : readSize(rest.subarray(rest.length - sizeBytes));
  const windowBytes = isSingle ? Number(size) : windowOf(rest[0]!);
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(FRAME);
  return {
    // The decoder is not told of the checksum, which is read and compared here.
    bytes: Buffer.concat([magic, Buffer.from([flags & ~CHECKSUM]), rest]),
    windowBytes,
    contentBytes: size,
    hasChecksum: (flags & CHECKSUM) !== 0,
  };
}

function readSize(bytes: Buffer): bigint {
  if (bytes.length === 8) return bytes.readBigUInt64LE(0);
  const size = bytes.readUIntLE(0, bytes.length);
  // The two-byte form begins after what one byte can say.
  return BigInt(bytes.length === 2 ? size + 256 : size);
}

function windowOf(descriptor: number): number {
  const base = 2 ** (LEAST_WINDOW_BITS + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

async function readBlock(reader: ByteReader, file: string): Promise<{ bytes: Buffer; isLast: boolean }> {
  const head = await exactly(reader, 3, file);
  const number = head.readUIntLE(0, 3);
  const type = (number >> 1) & 3;
  const size = number >> 3;
  if (type === RESERVED_BLOCK || size > MOST_BLOCK_BYTES) throw damaged(file, "a block is of no known kind");
  const content = await exactly(reader, type === RLE_BLOCK ? 1 : size, file);
  return { bytes: Buffer.concat([head, content]), isLast: (number & 1) !== 0 };
}

async function skipFrame(reader: ByteReader, file: string): Promise<void> {
  const bytes = (await exactly(reader, 4, file)).readUInt32LE(0);
  if (!(await reader.skip(bytes))) throw truncated(file);
}

async function exactly(reader: ByteReader, bytes: number, file: string): Promise<Buffer> {
  const taken = await reader.take(bytes);
  if (taken.length < bytes) throw truncated(file);
  return taken;
}

/** Whatever the decoder stumbles on is damage. */
function decode(push: () => void, file: string): void {
  try {
    push();
  } catch (error) {
    throw error instanceof RecPushError ? error : damaged(file, "a block cannot be unpacked", error);
  }
}

function truncated(file: string): RecPushError {
  return inputError({ file }, "truncated-zstd", "the file ends before its zstd data is complete", {
    hint: "copy or export the file again",
  });
}

function damaged(file: string, what: string, cause?: unknown): RecPushError {
  return inputError({ file }, "damaged-zstd", `the zstd data is damaged: ${what}`, {
    hint: "copy or export the file again",
    cause,
  });
}
