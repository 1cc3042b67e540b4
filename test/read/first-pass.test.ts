import { describe, expect, it } from "vitest";
import { inspectSource } from "../../src/read/inspect-source.ts";
import { openContent } from "../../src/read/read-rows.ts";
import { join, sourceOf } from "./chunks.ts";

/** Rows that are longer than the first MiB by more than a block. */
const ROWS = 12_000;
const LATE = 11_000;
const LONG = "texte ".repeat(25);

/** A CSV in which one row, far behind the first MiB, holds something else. */
function tableWith(late: string, first = "x"): string {
  const rows = Array.from({ length: ROWS }, (_, at) => `A${at};${LONG}${at === LATE ? late : first}`);
  return `cle;libelle\n${rows.join("\n")}\n`;
}

const utf8 = (text: string): Buffer => Buffer.from(text);
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");

describe("the first pass over a source", () => {
  it.each([
    ["nothing but ASCII", tableWith("y"), utf8, "utf-8"],
    ["UTF-8 from the beginning", tableWith("été", "payé"), utf8, "utf-8"],
    ["UTF-8 that shows late", tableWith("été"), utf8, "utf-8"],
    ["windows-1252 from the beginning", tableWith("été", "payé"), latin1, "windows-1252"],
    ["windows-1252 that shows late", tableWith("été"), latin1, "windows-1252"],
    ["windows-1252 whose first word is valid UTF-8", tableWith("été", "PAYÉ\u00a0"), latin1, "windows-1252"],
    ["UTF-16", tableWith("été"), utf16, "utf-16le"],
  ])("of %s settles its encoding, and proves its content", async (_, text, encode, encoding) => {
    const source = sourceOf(encode(text), 65_537);
    const inspection = await inspectSource(source, {});
    expect(inspection.reading).toMatchObject({ encoding, format: "csv", columns: ["cle", "libelle"] });
    expect((await join(openContent(source, inspection))).toString()).toBe(text);
  });

  const mixed = Buffer.concat([Buffer.from(tableWith("x", "payé")), latin1("A;réglé\n")]);

  it.each([
    ["a NUL", Buffer.from(tableWith("a\0b")), "nul-byte"],
    ["what is not UTF-8", mixed, "mixed-encoding"],
    ["a control character", Buffer.from(tableWith("a\u0085b", "payé")), "control-character"],
  ])("finds %s far behind the beginning", async (_, bytes, code) => {
    await expect(inspectSource(sourceOf(bytes, 65_536), {})).rejects.toMatchObject({ kind: "input", code });
  });

  it("fails as its source does", async () => {
    const failing = {
      ...sourceOf(""),
      async *open() {
        yield Buffer.from(tableWith("x"));
        throw new Error("unplugged");
      },
    };
    await expect(inspectSource(failing, {})).rejects.toThrow("unplugged");
  });
});
