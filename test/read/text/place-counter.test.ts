import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { ContentCursor } from "../../../src/read/text/content-cursor.ts";
import {
  createTextCheck,
  createUtf8Check,
  decode,
  decodeWestern,
  PlaceCounter,
} from "../../../src/read/text/decode.ts";
import { draws } from "../../support/draws.ts";
import { cutBytesAt, join, lend } from "../chunks.ts";

const text = fc
  .array(fc.constantFrom("a", "\n", "\r", "\r\n", "\t", "é", "€", "\u{1f600}", "abcdefgh", "\u000e"))
  .map((parts) => parts.join(""));

describe("places in a text", () => {
  it("are counted as its lines and characters say, however it comes and wherever it lies in memory", () => {
    fc.assert(
      fc.property(fc.array(text), text, fc.nat(7), (pieces, last, offset) => {
        const counter = new PlaceCounter();
        for (const piece of pieces) counter.add(placed(piece, offset));
        const before = (pieces.join("") + last).split(/\r\n|\n|\r/);
        const bytes = placed(last, offset);
        counter.add(bytes);
        expect(counter).toMatchObject({
          line: before.length,
          column: Array.from(before.at(-1) ?? "").length + 1,
        });
      }),
      draws(400),
    );
  });
});

function placed(piece: string, offset: number): Buffer {
  return Buffer.concat([Buffer.alloc(offset), Buffer.from(piece)]).subarray(offset);
}

function chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  return lend(cutBytesAt(Buffer.from(text), size));
}

const gather = async (pieces: AsyncIterable<Buffer>): Promise<string> => (await join(pieces)).toString();

const content = fc
  .array(fc.constantFrom("a", "é", "\n", "\r\n", "\r"), { maxLength: 30 })
  .map((parts) => parts.join(""));
const sizes = fc.constantFrom(1, 2, 7, 1_000);

describe("ContentCursor", () => {
  it("copies stretches of bytes, however the content is cut", async () => {
    await fc.assert(
      fc.asyncProperty(content, sizes, fc.array(fc.nat(5), { maxLength: 8 }), async (text, size, steps) => {
        const bytes = Buffer.from(text);
        const cursor = new ContentCursor(chunksOf(text, size));
        let at = 0;
        for (const step of steps) {
          const [start, end] = [Math.min(at + step, bytes.length), Math.min(at + step * 2, bytes.length)];
          expect(await gather(cursor.bytes(start, end))).toBe(bytes.subarray(start, end).toString());
          at = end;
        }
      }),
    );
  });
});

const CHUNK_SIZES = [1, 2, 3, 7, 0];

async function read(bytes: Buffer, encoding: string, size: number): Promise<string> {
  return (
    await join(decode(() => cutBytesAt(bytes, size), encoding, "orders.csv", createTextCheck(encoding)))
  ).toString();
}

describe("decoding", () => {
  it.each([
    ["utf-8", "Clé à 5 € 😀\r\n"],
    ["utf-16le", "Clé à 5 € 😀\r\n"],
    ["utf-16be", "Clé à 5 € 😀\r\n"],
    ["windows-1252", "Clé à 5 € « qualité »\r\n"],
    ["iso-8859-15", "Clé à 5 € œuvre\r\n"],
    ["cp850", "Clé à revoir, Ø ½\r\n"],
    ["cp437", "Clé à revoir, ½ ░\r\n"],
  ])("reads %s at every chunk size", async (encoding, text) => {
    for (const size of CHUNK_SIZES) {
      expect(await read(iconv.encode(text, encoding), encoding, size)).toBe(text);
    }
  });

  it.each(["utf-8", "utf-16le", "utf-16be"])("drops the byte order mark of %s", async (encoding) => {
    for (const size of CHUNK_SIZES) {
      expect(await read(iconv.encode("cle;é", encoding, { addBOM: true }), encoding, size)).toBe("cle;é");
    }
  });

  it("hands UTF-8 on without copying it", async () => {
    const bytes = Buffer.from("cle;montant\nA1;595\n");
    for await (const piece of decode(() => cutBytesAt(bytes, 0), "utf-8", "orders.csv")) {
      expect(piece.buffer).toBe(bytes.buffer);
    }
  });

  it.each([
    ["utf-8", "61 0a 62 e9 63", "2:2"],
    ["utf-8", "c3 a9 c3", "1:2"],
    ["windows-1252", "61 0d 0a 62 81", "2:2"],
    ["windows-1252", "8d", "1:1"],
    ["windows-1252", "61 9d", "1:2"],
    ["utf-16le", "61 00 3d d8 62 00", "1:2"],
    ["utf-16le", "61 00 62", "1:2"],
    ["iso-8859-15", "61 0a e9 80", "2:2"],
    ["utf-8", "61 0a c3 a9 c2 85", "2:2"],
  ])("stops at bytes that are not %s, and at C1 controls: %s", async (encoding, hex, at) => {
    const [line, column] = at.split(":").map(Number);
    const code = /^iso|c2 85$/.test(`${encoding} ${hex}`)
      ? /^control/
      : /^(?:undecodable|control-character)$/;
    for (const size of CHUNK_SIZES) {
      await expect(read(Buffer.from(hex.replaceAll(" ", ""), "hex"), encoding, size)).rejects.toMatchObject({
        kind: "input",
        code: expect.stringMatching(code),
        hint: expect.stringContaining("--encoding"),
        place: { file: "orders.csv", line, column },
      });
    }
  });

  it("keeps what looks like C1 bytes inside other UTF-8 characters", async () => {
    expect(await read(Buffer.from("À\u00a0Â¿ €"), "utf-8", 1)).toBe("À\u00a0Â¿ €");
  });
});

describe("the UTF-8 check", () => {
  const byte = fc.oneof(
    fc.nat(255),
    fc.constantFrom(0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0),
  );

  it("agrees with the standard decoder on any bytes cut anywhere", () => {
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 12 }), fc.nat(4), (values, cut) => {
        const bytes = Buffer.from(values);
        const check = createUtf8Check();
        const valid: Buffer[] = [];
        let rest: Buffer | undefined;
        for (let at = 0; at < bytes.length && rest === undefined; at += cut + 1) {
          const checked = check.push(bytes.subarray(at, at + cut + 1));
          valid.push(checked.valid);
          rest = checked.rest;
        }
        const read = Buffer.concat(valid);
        expect(read.equals(bytes.subarray(0, read.length))).toBe(true);
        expect(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(read)).not.toThrow();
        const isValid = rest === undefined && check.end().length === 0;
        expect(isValid).toBe(Buffer.from(bytes.toString()).equals(bytes));
      }),
      draws(400),
    );
  });
});

it("each byte of windows-1252 is read as iconv-lite reads it", () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  expect(decodeWestern(bytes)).toBe(iconv.decode(bytes, "windows-1252"));
});
