import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import iconv from "iconv-lite";
import type { ReadOptions } from "../../src/read/read-options.ts";

/** A file to begin with. */
export interface BaseFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** A change at a position, given in ten-thousandths of the file's length. */
interface Edit {
  readonly kind: "insert" | "delete" | "repeat" | "swap";
  readonly place: number;
  readonly length: number;
  readonly token: string;
}

/** A file with changes, how it is packed and cut into chunks, and the options for reading it. */
export interface FuzzCase {
  readonly base: string;
  readonly edits: readonly Edit[];
  readonly encoding: "as it is" | "utf16le" | "utf16be" | "cp850" | "win1252";
  readonly packing: "plain" | "gzip" | "gzip cut" | "gzip spoilt";
  readonly chunk: number;
  readonly options: ReadOptions;
}

/** Separated by section signs. */
const TOKENS = [
  `"§'§""§,§;§\t§|§\n§\r§\r\n§\n\n§\\§\\"§\u00e9§\ufeff§\u00a0§"a\nb"§="01"§#§=§ §sep=;\n`,
  `Total;12\n§a;b;c\n§\n"§";§;"§~§  §-§{§}§[§]§:§,§null§1e400§01§-0.0§"\\ud800"§"a":1,§//§[{}]§{}\n`,
].flatMap((line) => line.split("§"));
/** Bytes, written as latin1 characters: broken UTF-8, NUL, C1 controls. */
const BYTES = ["\xff", "\x00", "\x85", "\xc3", "\xe9", "\x1a", "\x80"];

const OPTIONS: readonly ReadOptions[] = [
  ...[";", ",", ", "].map((delimiter) => ({ delimiter })),
  ...(["", "'"] as const).map((quote) => ({ quote })),
  { escape: "\\" },
  { header: false },
  { headerLine: 2 },
  { skipLines: 1 },
  { skipFooter: 1 },
  { comment: "#" },
  { maxRowBytes: 48 },
  { jsonPath: "a" },
  ...["windows-1252", "cp850", "utf-16le", "iso-8859-15"].map((encoding) => ({ encoding })),
  ...(["csv", "json", "ndjson"] as const).map((format) => ({ format })),
];

/** Cases over these files; simpler ones have fewer changes. */
export function fuzzCases(bases: readonly BaseFile[]): fc.Arbitrary<FuzzCase> {
  const token = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...TOKENS.map((text) => Buffer.from(text).toString("latin1"))) },
    { weight: 1, arbitrary: fc.constantFrom(...BYTES) },
  );
  const edit = fc.record({
    kind: fc.constantFrom("insert", "insert", "insert", "delete", "repeat", "swap"),
    place: fc.integer({ min: 0, max: 9_999 }),
    length: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 2_000 })),
    token,
  });
  const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
    fc.oneof(
      { weight: 7, arbitrary: fc.constant(usual) },
      { weight: 3, arbitrary: fc.constantFrom(...others) },
    );
  return fc.record({
    base: fc.constantFrom(...bases.map(({ name }) => name)),
    edits: fc.array(edit, { maxLength: 6 }),
    encoding: mostly("as it is", "utf16le", "utf16be", "cp850", "win1252"),
    packing: mostly("plain", "gzip", "gzip cut", "gzip spoilt"),
    chunk: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 5_000 })),
    options: fc.oneof(fc.constant({}), fc.constantFrom(...OPTIONS)),
  });
}

/** The unpacked bytes of a case; `packed` are those of the stored file. */
export function buildBytes(
  { edits, encoding, packing }: FuzzCase,
  base: Buffer,
): { readonly stored: Buffer; readonly isWhole: boolean } {
  let bytes: Buffer = base;
  if (encoding !== "as it is") {
    const name = encoding === "utf16le" ? "utf-16le" : encoding;
    bytes = iconv.encode(bytes.toString("utf8"), name, { addBOM: encoding.startsWith("utf16") });
  }
  for (const change of edits) bytes = apply(bytes, change);
  if (packing === "plain") return { stored: bytes, isWhole: true };
  const packed = gzipSync(bytes);
  if (packing === "gzip cut") return { stored: packed.subarray(0, packed.length - 3), isWhole: false };
  if (packing === "gzip spoilt") packed[packed.length >> 1]! ^= 0x10;
  return { stored: packed, isWhole: packing === "gzip" || holds(packed, bytes) };
}

/** True for a packing that still holds the bytes: a bit that was flipped may choose another repeat of the same text. */
function holds(packed: Buffer, bytes: Buffer): boolean {
  try {
    return gunzipSync(packed).equals(bytes);
  } catch {
    return false;
  }
}

function apply(bytes: Buffer, { kind, place, length, token }: Edit): Buffer {
  const at = Math.floor((bytes.length * place) / 10_000);
  const before = bytes.subarray(0, at);
  const stretch = bytes.subarray(at, at + length);
  switch (kind) {
    case "insert":
      return Buffer.concat([before, Buffer.from(token, "latin1"), bytes.subarray(at)]);
    case "delete":
      return Buffer.concat([before, bytes.subarray(at + length)]);
    case "repeat":
      return Buffer.concat([before, stretch, bytes.subarray(at)]);
    case "swap":
      return Buffer.concat([before, Buffer.from(stretch).reverse(), bytes.subarray(at + length)]);
  }
}
