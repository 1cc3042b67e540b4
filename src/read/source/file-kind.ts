/** A file that is read in another way than from its first byte to its last. */
export type FileKind = "zip" | "compound" | "gzip" | "zstd";

const ZIP = Buffer.from("PK\x03\x04", "latin1");
const EMPTY_ZIP = Buffer.from("PK\x05\x06", "latin1");
/** [MS-CFB] 2.2: the signature of a compound file, which holds files in sectors. */
const SIGNATURE = Buffer.from("d0cf11e0a1b11ae1", "hex");

/** The kind of a file by its first 512 bytes; `undefined` for one that is read as it is. */
export function kindOfFile(head: Buffer): FileKind | undefined {
  if (startsWith(head, ZIP) || startsWith(head, EMPTY_ZIP)) return "zip";
  if (isGzip(head)) return "gzip";
  if (isCompound(head)) return "compound";
  return isZstd(head) ? "zstd" : undefined;
}

/** RFC 1952 section 2.3.1. */
export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** RFC 8878 section 3.1. */
function isZstd(head: Buffer): boolean {
  if (head.length < 4) return false;
  const magic = head.readUInt32LE(0);
  // A file may begin with a frame that is to be skipped, as pzstd writes it.
  return magic === 0xfd2fb528 || (magic & ~0xf) >>> 0 === 0x184d2a50;
}

/** True for a compound file: an old Excel workbook, or a new one with a password. Needs the first 512 bytes. */
function isCompound(head: Buffer): boolean {
  return head.length >= 512 && head.subarray(0, SIGNATURE.length).equals(SIGNATURE);
}

function startsWith(head: Buffer, mark: Buffer): boolean {
  return head.subarray(0, mark.length).equals(mark);
}
