import { isUtf8 } from "node:buffer";
import { Readable, type Transform } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { type RecPushError, throwIfInterrupted } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { readPart } from "../source/read-from.ts";

/** APPNOTE.TXT 6.3: end of central directory, and a file header. */
const END = 0x06054b50;
const END_BYTES = 22;
const FILE = 0x02014b50;
const FILE_BYTES = 46;

const MOST_COMMENT_BYTES = 65_535;
/** A directory of a table or a workbook has a few kilobytes. */
const MOST_DIRECTORY_BYTES = 16 * 1024 ** 2;
const MOST_ENTRIES = 65_534;

/** A number of 64 bits is elsewhere: for a file in its extra field, for the archive in a record that is not read. */
const ELSEWHERE = 0xffffffff;
const EXTRA_64 = 1;

interface Directory {
  readonly at: number;
  readonly bytes: number;
  readonly entries: number;
}

/** The files of a zip archive, in the order of its directory. Throws an input error if it is cut, damaged, in parts or too large. */
export async function readZipDirectory(zip: ZipFile): Promise<readonly ZipEntry[]> {
  const { at, bytes, entries } = await findDirectory(zip);
  if (at === ELSEWHERE || bytes > MOST_DIRECTORY_BYTES || entries > MOST_ENTRIES) {
    const message = `the archive is larger than 4 GiB, or holds more than ${MOST_ENTRIES} files`;
    throw inputError({ file: zip.name }, "zip-members", message, {
      hint: "unpack it and push the file inside",
    });
  }
  if (at + bytes > zip.bytes) throw damagedZip(zip.name, "the archive's directory is not where it says");
  const directory = await readPart(zip.fd, at, bytes);
  const found: ZipEntry[] = [];
  const names = new Set<string>();
  let from = 0;
  while (found.length < entries) {
    if (from + FILE_BYTES > directory.length || directory.readUInt32LE(from) !== FILE)
      throw damagedZip(zip.name, "the archive's directory is not as long as it says");
    const { entry, end } = readFileHeader(directory, from, zip);
    if (names.has(entry.name)) throw damagedZip(zip.name, `it holds two files named ${entry.name}`);
    names.add(entry.name);
    found.push(entry);
    from = end;
  }
  return found;
}

async function findDirectory(zip: ZipFile): Promise<Directory> {
  const tailAt = Math.max(0, zip.bytes - END_BYTES - MOST_COMMENT_BYTES);
  const tail = await readPart(zip.fd, tailAt, zip.bytes - tailAt);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail[at] !== 0x50 || tail.readUInt32LE(at) !== END) continue;
    if (at + END_BYTES + tail.readUInt16LE(at + 20) !== tail.length) continue;
    if (tail.readUInt16LE(at + 4) > 0)
      throw damagedZip(zip.name, "it is one part of an archive in several parts");
    return {
      entries: tail.readUInt16LE(at + 10),
      bytes: tail.readUInt32LE(at + 12),
      at: tail.readUInt32LE(at + 16),
    };
  }
  throw damagedZip(zip.name, "the end of the archive is missing");
}

function readFileHeader(directory: Buffer, from: number, zip: ZipFile): { entry: ZipEntry; end: number } {
  const nameEnd = from + FILE_BYTES + directory.readUInt16LE(from + 28);
  const extraEnd = nameEnd + directory.readUInt16LE(from + 30);
  const end = extraEnd + directory.readUInt16LE(from + 32);
  if (end > directory.length) throw damagedZip(zip.name, "the archive's directory is cut off");
  const flags = directory.readUInt16LE(from + 8);
  const large = readLarge(directory.subarray(nameEnd, extraEnd));
  const size = (at: number): number => {
    const value = directory.readUInt32LE(at);
    return value === ELSEWHERE ? (large.shift() ?? value) : value;
  };
  // Their order in the extra field.
  const bytes = size(from + 24);
  const packedBytes = size(from + 20);
  const at = size(from + 42);
  const nameBytes = directory.subarray(from + FILE_BYTES, nameEnd);
  const entry = {
    name: decodeName(nameBytes),
    nameBytes,
    method: directory.readUInt16LE(from + 10),
    isEncrypted: (flags & 1) !== 0,
    crc: directory.readUInt32LE(from + 16),
    packedBytes,
    bytes,
    at,
  };
  return { entry, end };
}

/** The 64-bit numbers of a file header's extra field. */
function readLarge(extra: Buffer): number[] {
  for (let at = 0, end; at + 4 <= extra.length; at = end) {
    end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) !== EXTRA_64) continue;
    const numbers = Math.floor((Math.min(end, extra.length) - at - 4) / 8);
    return Array.from({ length: numbers }, (_, index) => Number(extra.readBigUInt64LE(at + 4 + 8 * index)));
  }
  return [];
}

/** Archives without the mark for UTF-8 hold it all the same, or a code page that only names for people use. */
function decodeName(name: Buffer): string {
  return name.toString(isUtf8(name) ? "utf8" : "latin1").replaceAll("\\", "/");
}

/** How many names a message lists. */
const MOST_NAMES = 5;

/** Documents that are zip archives too, by a file in them. */
const OTHERS = [
  ["xl/workbook.bin", "a binary Excel workbook (.xlsb)"],
  ["content.xml", "an OpenDocument file (.ods)"],
  ["word/document.xml", "a text document (.docx)"],
] as const;

/** Tells a workbook from an archive of files. Throws an input error for other documents. */
export function kindOfZip(entries: readonly ZipEntry[], file: string): "workbook" | "archive" {
  const names = new Set(entries.map(({ name }) => name.toLowerCase()));
  const other = OTHERS.find(([name]) => names.has(name));
  if (other !== undefined)
    throw inputError({ file }, "not-a-table", `this is ${other[1]}, not CSV, JSON or .xlsx`, {
      hint: "save it as .xlsx, or as CSV (UTF-8), and push that",
    });
  return names.has("[content_types].xml") ? "workbook" : "archive";
}

/** The one table of an archive. Throws an input error if it holds several files, or none. */
function oneTable(zip: ZipFile, entries: readonly ZipEntry[]): ZipEntry {
  const files = entries.filter(({ name }) => !name.endsWith("/") && !isLitter(name));
  const [table] = files;
  if (table !== undefined && files.length === 1) return table;
  const names = files.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = files.length > MOST_NAMES ? ` and ${files.length - MOST_NAMES} more` : "";
  throw inputError(
    { file: zip.name },
    "zip-members",
    files.length === 0
      ? "the archive holds no file"
      : `the archive holds ${files.length} files: ${names.join(", ")}${more}`,
    { hint: "unpack it and push the table inside" },
  );
}

/** The content of the one table of an archive. */
export function openTable(zip: ZipFile, entries: readonly ZipEntry[]): AsyncGenerator<Buffer> {
  return openEntry(zip, oneTable(zip, entries));
}

/** Files that macOS and Windows add to an archive. */
function isLitter(name: string): boolean {
  return name.startsWith("__MACOSX/") || /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/i.test(name);
}

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

/** A stretch of an open file, in pieces of their own. It ends early where the file does. */
async function* readStretch(fd: number, at: number, bytes: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < bytes;) {
    const piece = await readPart(fd, at + done, Math.min(CHUNK_BYTES, bytes - done));
    if (piece.length === 0) return;
    done += piece.length;
    yield piece;
  }
}

/** Where the packed bytes begin, after a local header that says the same as the directory. */
async function findData(zip: ZipFile, entry: ZipEntry): Promise<number> {
  const { name, method, at } = entry;
  if (entry.isEncrypted) throw encryptedZip(zip.name, name);
  if (method !== STORED && method !== DEFLATED) {
    throw inputError(
      { file: zip.name },
      "unsupported-zip",
      `${name} is packed with method ${method}, which few programs know`,
      { hint: "unpack it and push the file inside, or pack it with the usual method (deflate)" },
    );
  }
  const header = at < zip.bytes ? await readPart(zip.fd, at, LOCAL_HEADER_BYTES) : undefined;
  if (header === undefined || header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER)
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
  yield* unpack(stream, packed);
  // Bytes after the end of the deflated data would be hidden from every other program.
  if (stream.bytesWritten !== packedBytes) throw Object.assign(new Error("excess"), { code: "Z_DATA_ERROR" });
}

/** The output of a stream of Node for packed bytes. */
export async function* unpack(stream: Transform, packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(packed, { objectMode: false });
  source.on("error", (error) => stream.destroy(error));
  source.pipe(stream);
  try {
    for await (const piece of stream) yield piece as Buffer;
  } finally {
    source.destroy();
    stream.destroy();
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(Z_|ERR_ZLIB)/.test(String(error.code));
}

/** The error for an archive that is damaged. */
function damagedZip(file: string, what: string, cause?: unknown): RecPushError {
  return inputError({ file }, "damaged-file", `the file is damaged: ${what}`, {
    hint: "copy or export the file again",
    cause,
  });
}

function encryptedZip(file: string, name: string): RecPushError {
  return inputError({ file }, "unsupported-zip", `${name} in it is protected by a password`, {
    hint: "unpack it with its password and push the file inside",
  });
}
