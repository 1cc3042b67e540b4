import { Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { inputError } from "../input-error.ts";
import { throwIfInterrupted } from "../../model/interruption.ts";
import type { RecPushError } from "../../model/failure.ts";
import { readPart, readStretch } from "./read-stretch.ts";

/** One file of a zip archive, as its central directory describes it. */
export interface ZipEntry {
  readonly name: string;
  /** As it is written. */
  readonly nameBytes: Buffer;
  /** 0 is stored, 8 is deflated; other numbers are of packers that few programs know. */
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Where its local header begins in the archive. */
  readonly at: number;
}

/** An open archive. */
export interface ZipFile {
  readonly fd: number;
  /** For messages. */
  readonly name: string;
  readonly bytes: number;
  /** When set, ends the reading. */
  readonly stop?: AbortSignal | undefined;
}

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const CHUNK_BYTES = 262_144;

/**
 * The bytes of one file of the archive. Throws an input error if it is encrypted, packed in a rare way, or not what the
 * directory says: size and CRC-32 are compared, and it never gives more bytes than the directory promises.
 */
export async function* openEntry(zip: ZipFile, entry: ZipEntry): AsyncGenerator<Buffer> {
  const packed = readStretch(zip.fd, await findData(zip, entry), entry.packedBytes);
  let crc = 0;
  let bytes = 0;
  try {
    for await (const piece of entry.method === STORED ? packed : inflate(packed, entry.packedBytes)) {
      if (zip.stop !== undefined) throwIfInterrupted(zip.stop);
      bytes += piece.length;
      if (bytes > entry.bytes) break;
      crc = crc32(piece, crc);
      yield piece;
    }
  } catch (error) {
    throw isZlibError(error) ? damagedZip(zip.name, `${entry.name} cannot be unpacked`, error) : error;
  }
  if (bytes !== entry.bytes)
    throw damagedZip(zip.name, `${entry.name} has another size than the archive says`);
  if (crc !== entry.crc) throw damagedZip(zip.name, `the checksum (CRC-32) of ${entry.name} is wrong`);
}

/** Where the packed bytes begin, after a local header that says the same as the directory. */
async function findData(zip: ZipFile, entry: ZipEntry): Promise<number> {
  const { name, method, at } = entry;
  if (entry.isEncrypted) throw encryptedZip(zip.name, name);
  if (method !== STORED && method !== DEFLATED) {
    throw inputError(
      { file: zip.name },
      "zip-method",
      `${name} is packed with method ${method}, which few programs know`,
      { hint: "unpack it and push the file inside, or pack it with the usual method (deflate)" },
    );
  }
  const header = await readPart(zip.fd, at, LOCAL_HEADER_BYTES);
  if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER)
    throw damagedZip(zip.name, `${name} is not where the archive says`);
  const nameBytes = header.readUInt16LE(26);
  const data = at + LOCAL_HEADER_BYTES + nameBytes + header.readUInt16LE(28);
  const named = await readPart(zip.fd, at + LOCAL_HEADER_BYTES, nameBytes);
  const isSame =
    named.equals(entry.nameBytes) && header.readUInt16LE(8) === method && (header.readUInt16LE(6) & 1) === 0;
  if (!isSame) throw damagedZip(zip.name, `${name} is described in two ways`);
  if (data + entry.packedBytes > zip.bytes) throw damagedZip(zip.name, `${name} is cut off`);
  return data;
}

async function* inflate(packed: AsyncIterable<Buffer>, packedBytes: number): AsyncGenerator<Buffer> {
  const stream = createInflateRaw({ chunkSize: CHUNK_BYTES });
  const source = Readable.from(packed, { objectMode: false });
  source.on("error", (error) => stream.destroy(error));
  source.pipe(stream);
  try {
    for await (const piece of stream) yield piece as Buffer;
    // What comes after the end of the deflated data was hidden from every other program.
    if (stream.bytesWritten !== packedBytes)
      throw Object.assign(new Error("excess"), { code: "Z_DATA_ERROR" });
  } finally {
    source.destroy();
    stream.destroy();
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(Z_|ERR_ZLIB)/.test(String(error.code));
}

/** The archive is not as it was packed. */
export function damagedZip(file: string, what: string, cause?: unknown): RecPushError {
  return inputError({ file }, "damaged-zip", `the file is damaged: ${what}`, {
    hint: "copy or export the file again",
    cause,
  });
}

function encryptedZip(file: string, name: string): RecPushError {
  return inputError({ file }, "encrypted", `${name} in it is protected by a password`, {
    hint: "unpack it with its password and push the file inside",
  });
}
