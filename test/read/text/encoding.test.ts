import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { beginReading } from "../../../src/read/content/content-pass.ts";
import { inspectSource } from "../../../src/read/inspect-source.ts";
import { openContent } from "../../../src/read/read-rows.ts";
import { join, sourceOf } from "../chunks.ts";
import { inspectFile } from "../inspect.ts";

/** Longer than the first look, so that the chunks after it are decoded as they are cut. */
const LONG_HEAD = `cle;libelle\nA0;${"x".repeat(5_000)}\n`;

const GUILLEMETS = "cle;libelle\nA1;Société\nA2;« qualité\u00a0»\nA3;« PAYÉ »\n";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("the encoding", () => {
  it.each([
    ["byte-order-mark.csv", "utf-8", "cle;libelle\nA1;Clé\n"],
    ["utf-16le.csv", "utf-16le", "cle;libelle\nA1;Clé 😀\n"],
    ["utf-16be.csv", "utf-16be", "cle;libelle\nA1;Clé 😀\n"],
    ["windows-1252.csv", "windows-1252", "cle;libelle\nA1;Ecran\nA2;Clé à 5 €\n"],
    ["windows-1252-guillemets.csv", "windows-1252", GUILLEMETS],
    ["decimal-comma.csv", "utf-8", "cle;libelle;montant\nA1;Ecran;1,50\nA2;Clavier;2,75\n"],
  ])("of %s is %s, and the fingerprint is that of the text", async (file, encoding, text) => {
    const { reading, proof } = await inspectFile(file);
    expect(reading).toMatchObject({ encoding, fingerprint: sha256(text) });
    expect(proof.totalBytes).toBe(Buffer.byteLength(text));
  });

  it("is pinned with a notice that names the first line that is not UTF-8", async () => {
    const { reading } = await inspectFile("windows-1252.csv");
    expect(reading.notices).toContainEqual({ line: 3, text: expect.stringContaining("windows-1252") });
    expect(reading.pins).toContainEqual({
      what: "encoding",
      option: "--encoding windows-1252",
      because: expect.stringContaining("line 3"),
    });
  });

  it("named as UTF-8 takes control characters as they are", async () => {
    await expect(inspectFile("control-character.csv", { encoding: "utf-8" })).resolves.toBeDefined();
  });

  it("is found at any chunk size, also where a border cuts the first invalid byte's line", async () => {
    const bytes = latin1(`${LONG_HEAD}A1;Soci\u00e9t\u00e9\nA2;d\u00e9j\u00e0\n`);
    for (const size of [1, 2, 7, 0]) {
      const { reading } = await inspectSource(sourceOf(bytes, size), {});
      const fingerprint = sha256(bytes.toString("latin1"));
      expect(reading).toMatchObject({ encoding: "windows-1252", fingerprint });
    }
  });

  it.each([
    ["mixed-encoding.csv", {}, "mixed-encoding", { line: 2, column: 4 }],
    ["windows-1252.csv", { encoding: "utf-8" }, "undecodable", { line: 3, column: 6 }],
    ["windows-1252.csv", { encoding: "iso-8859-15" }, "control-character", { line: 3, column: 12 }],
    ["control-character.csv", {}, "control-character", { line: 3, column: 6 }],
    ["byte-order-mark.csv", { encoding: "windows-1252" }, "contradicting-mark", {}],
    ["utf-16-without-mark.csv", {}, "undecodable", {}],
    ["nul-byte.csv", {}, "nul-byte", { line: 2, column: 6 }],
    ["excel-workbook.csv", {}, "damaged-file", {}],
    ["html-page.csv", {}, "not-a-table", {}],
    ["only-blank-lines.csv", {}, "empty", {}],
  ] as const)("of %s with %j stops with %s", async (file, options, code, place) => {
    await expect(inspectFile(file, options)).rejects.toMatchObject({ kind: "input", code, place });
  });

  it.each([
    ["UTF-16 without a mark", Buffer.from("a\0".repeat(2_048) + "x".repeat(70_000)), "undecodable"],
    ["a C1 control before a NUL", Buffer.from(`${LONG_HEAD}A1;\u0085\nA2;\0\n`), "control-character"],
    ["a NUL before a C1 control", Buffer.from(`${LONG_HEAD}A1;\0\nA2;\u0085\n`), "nul-byte"],
  ])("stops at %s alike, however it is cut", async (_, bytes, code) => {
    for (const size of [1, 7, 4_096, 0]) {
      await expect(inspectSource(sourceOf(bytes, size), {})).rejects.toMatchObject({ code });
    }
  });
});

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
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");

describe("the first pass over a source", () => {
  it.each([
    ["nothing but ASCII", tableWith("y"), utf8, "utf-8"],
    ["UTF-8 that shows late", tableWith("été"), utf8, "utf-8"],
    ["windows-1252 from the beginning", tableWith("été", "payé"), latin1, "windows-1252"],
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

describe("content that is no text", () => {
  it.each<[string, Buffer, string]>([
    ["a PDF document", Buffer.from("%PDF-1.7\n"), "a PDF document"],
    ["a gzip file in another", Buffer.from("1f8b0800", "hex"), "a gzip file inside another"],
    ["an old workbook, cut off", Buffer.from("d0cf11e0a1b11ae1", "hex"), "an old Excel workbook (.xls)"],
    ["an HTML page", Buffer.from("\ufeff\n<!DOCTYPE html><table>"), "an HTML page"],
    ["XML", Buffer.from('<?xml version="1.0"?><rows/>'), "an XML document"],
    ["a picture", Buffer.from("89504e470d0a1a0a0000000d494844520000000100000001", "hex"), "binary data"],
  ])("is refused by what it is: %s", (_, head, what) => {
    expect(() => beginReading(head, {}, "orders.csv")).toThrow(
      expect.objectContaining({ code: "not-a-table", message: expect.stringContaining(what) as string }),
    );
  });
});
