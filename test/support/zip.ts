import { crc32, deflateRawSync } from "node:zlib";

/** A file of an archive; sizes and checksum that are not given are those of its bytes. */
export interface ZipPart {
  readonly name: string;
  readonly data: string | Buffer;
  /** 8 (deflated, the default) or 0 (stored). */
  readonly method?: number;
  readonly crc?: number;
  readonly bytes?: number;
  readonly isEncrypted?: boolean;
}

/** How an archive is written. */
export interface ZipStyle {
  /** With 64-bit sizes of its files, as programs write them that do not know the sizes beforehand. */
  readonly isLarge?: boolean;
  readonly comment?: string;
  /** Sizes and checksum come after the data, as streaming programs write them. */
  readonly isStreamed?: boolean;
}

const FULL = 0xffffffff;

/** Writes a zip archive. */
export function zipOf(parts: readonly ZipPart[], style: ZipStyle = {}): Buffer {
  const written: Buffer[] = [];
  const headers: Buffer[] = [];
  let at = 0;
  for (const part of parts) {
    const data = Buffer.from(part.data as string);
    const { method = 8, crc = crc32(data), bytes = data.length, isEncrypted = false } = part;
    const packed = method === 8 ? deflateRawSync(data) : data;
    const name = Buffer.from(part.name);
    const flags = 0x800 | (isEncrypted ? 1 : 0) | (style.isStreamed === true ? 8 : 0);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(name.length, 26);
    if (style.isStreamed !== true) {
      local.writeUInt32LE(crc, 14);
      local.writeUInt32LE(packed.length, 18);
      local.writeUInt32LE(bytes, 22);
    }
    const after = style.isStreamed === true ? describeAfter(crc, packed.length, bytes) : Buffer.alloc(0);
    headers.push(
      fileHeader({ flags, method, crc, packed: packed.length, bytes, name, at }, style.isLarge === true),
    );
    written.push(local, name, packed, after);
    at += local.length + name.length + packed.length + after.length;
  }
  return Buffer.concat([
    ...written,
    ...headers,
    endOf(parts.length, Buffer.concat(headers).length, at, style.comment),
  ]);
}

function describeAfter(crc: number, packed: number, bytes: number): Buffer {
  const after = Buffer.alloc(16);
  after.writeUInt32LE(0x08074b50, 0);
  after.writeUInt32LE(crc, 4);
  after.writeUInt32LE(packed, 8);
  after.writeUInt32LE(bytes, 12);
  return after;
}

interface Header {
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly bytes: number;
  readonly name: Buffer;
  readonly at: number;
}

function fileHeader({ flags, method, crc, packed, bytes, name, at }: Header, isLarge: boolean): Buffer {
  const extra = Buffer.alloc(isLarge ? 28 : 0);
  if (isLarge) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    [bytes, packed, at].forEach((value, index) => extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index));
  }
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(method, 10);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(isLarge ? FULL : packed, 20);
  header.writeUInt32LE(isLarge ? FULL : bytes, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(isLarge ? FULL : at, 42);
  return Buffer.concat([header, name, extra]);
}

function endOf(files: number, bytes: number, at: number, comment = ""): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files, 8);
  end.writeUInt16LE(files, 10);
  end.writeUInt32LE(bytes, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([end, Buffer.from(comment)]);
}
