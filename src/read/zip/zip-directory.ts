import { isUtf8 } from "node:buffer";
import { inputError } from "../input-error.ts";
import { readPart } from "./read-stretch.ts";
import { damagedZip, type ZipEntry, type ZipFile } from "./zip-entry.ts";

/** APPNOTE.TXT 6.3: end of central directory, its 64-bit locator and record, and a file header. */
const END = 0x06054b50;
const END_BYTES = 22;
const LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
const END_64 = 0x06064b50;
const END_64_BYTES = 56;
const FILE = 0x02014b50;
const FILE_BYTES = 46;

const MOST_COMMENT_BYTES = 65_535;
/** A directory of a table or a workbook has a few kilobytes. */
const MOST_DIRECTORY_BYTES = 16 * 1024 ** 2;
const MOST_ENTRIES = 65_536;

const SIZE_IN_EXTRA = 0xffffffff;
const EXTRA_64 = 1;

interface Directory {
  readonly at: number;
  readonly bytes: number;
  readonly entries: number;
}

/** The files of a zip archive, in the order of its directory. Throws an input error if it is cut, damaged or in parts. */
export async function readZipDirectory(zip: ZipFile): Promise<readonly ZipEntry[]> {
  const { at, bytes, entries } = await findDirectory(zip);
  if (bytes > MOST_DIRECTORY_BYTES || entries > MOST_ENTRIES) {
    throw inputError({ file: zip.name }, "zip-members", `the archive holds ${entries} files`, {
      hint: "unpack it and push the file inside",
    });
  }
  const directory = await readPart(zip.fd, at, bytes);
  if (directory.length < bytes) throw damagedZip(zip.name, "the archive's directory is cut off");
  const found: ZipEntry[] = [];
  const names = new Set<string>();
  let from = 0;
  while (found.length < entries) {
    if (from + FILE_BYTES > bytes || directory.readUInt32LE(from) !== FILE)
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
    const end = tail.subarray(at);
    const directory = (await findLarge(zip, tailAt + at)) ?? {
      at: end.readUInt32LE(16),
      bytes: end.readUInt32LE(12),
      entries: end.readUInt16LE(10),
    };
    const isSplit =
      end.readUInt16LE(4) !== end.readUInt16LE(6) || end.readUInt16LE(8) !== end.readUInt16LE(10);
    if (isSplit) throw damagedZip(zip.name, "it is one part of an archive in several parts");
    if (directory.at + directory.bytes > tailAt + at)
      throw damagedZip(zip.name, "the archive's directory is not where it says");
    return directory;
  }
  throw damagedZip(zip.name, "the end of the archive is missing");
}

/** The directory of an archive with 64-bit sizes, which a locator before the end tells. */
async function findLarge(zip: ZipFile, endAt: number): Promise<Directory | undefined> {
  if (endAt < LOCATOR_BYTES) return undefined;
  const locator = await readPart(zip.fd, endAt - LOCATOR_BYTES, LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== LOCATOR) return undefined;
  const end = await readPart(zip.fd, toNumber(locator.readBigUInt64LE(8), zip), END_64_BYTES);
  if (end.length < END_64_BYTES || end.readUInt32LE(0) !== END_64)
    throw damagedZip(zip.name, "the archive's directory is not where it says");
  return {
    at: toNumber(end.readBigUInt64LE(48), zip),
    bytes: toNumber(end.readBigUInt64LE(40), zip),
    entries: toNumber(end.readBigUInt64LE(32), zip),
  };
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
    if (value !== SIZE_IN_EXTRA) return value;
    const next = large.shift();
    return next === undefined ? value : toNumber(next, zip);
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
function readLarge(extra: Buffer): bigint[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== EXTRA_64) continue;
    const end = Math.min(extra.length, at + 4 + extra.readUInt16LE(at + 2));
    const found: bigint[] = [];
    for (let value = at + 4; value + 8 <= end; value += 8) found.push(extra.readBigUInt64LE(value));
    return found;
  }
  return [];
}

/** Archives without the mark for UTF-8 hold it all the same, or a code page that only names for people use. */
function decodeName(name: Buffer): string {
  return name.toString(isUtf8(name) ? "utf8" : "latin1").replaceAll("\\", "/");
}

function toNumber(value: bigint, zip: ZipFile): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damagedZip(zip.name, "a size in it is impossible");
  return Number(value);
}
