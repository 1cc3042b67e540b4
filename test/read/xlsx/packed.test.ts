import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { inspectSource } from "../../../src/read/inspect-source.ts";
import { openSource, type SourceContext } from "../../../src/read/source/open-source.ts";
import { makeFile } from "../../support/temp-files.ts";
import { textRow, workbookOf } from "../../support/workbook.ts";
import { zipOf } from "../../support/zip.ts";
import { readBook } from "./read-workbook.ts";

const book = workbookOf({ sheets: [{ rows: textRow(1, ["cle", "state"]) + textRow(2, ["A", "open"]) }] });
const OTHER = zipOf(["[Content_Types].xml", "xl/workbook.bin"].map((name) => ({ name, data: "x" })));

const CSV = zipOf([{ name: "a.csv", data: "a" }]);
const SPOILT = zipOf([{ name: "a.xlsx", data: book, crc: 1 }]);

async function open(bytes: Buffer, more: Partial<SourceContext> = {}) {
  const spoolDirectory = await mkdtemp(join(tmpdir(), "rec-push-test-"));
  const context = { stdin: () => Readable.from([]), spoolDirectory, ...more };
  const source = await openSource(await makeFile("orders.bin", bytes), context);
  return { source, left: () => readdir(spoolDirectory) };
}

/** Opens and inspects a file, and closes it. */
async function readPacked(bytes: Buffer, more: Partial<SourceContext>): Promise<void> {
  const { source } = await open(bytes, more);
  try {
    await inspectSource(source, {});
  } finally {
    await source.close();
  }
}

describe("a workbook inside a packed file", () => {
  it.each([
    ["gz", gzipSync(book)],
    ["zip", zipOf([{ name: "orders.xlsx", data: book }])],
    ["gz of two members", Buffer.concat([gzipSync(book.subarray(0, 2)), gzipSync(book.subarray(2))])],
  ])("is read from a .%s", async (_, bytes) => {
    expect((await readBook(bytes)).rows).toEqual([[2, "A", "open"]]);
  });

  it("leaves nothing behind", async () => {
    const { source, left } = await open(gzipSync(book));
    await inspectSource(source, { headerLine: 1 });
    expect(await left()).not.toEqual([]);
    await source.close();
    expect(await left()).toEqual([]);
  });

  it.each([
    ["of another kind", gzipSync(OTHER), "not-a-table", "a binary Excel workbook (.xlsb)"],
    ["cut off", gzipSync(book.subarray(0, -30)), "damaged-zip", "the end of the archive is missing"],
    ["an archive", gzipSync(CSV), "not-a-table", "a packed file inside another"],
    ["of a packed file that is cut off", gzipSync(book).subarray(0, -30), "truncated-gzip", ""],
    ["in an archive with a wrong checksum", SPOILT, "damaged-zip", "checksum"],
  ])("stops the run if it is %s", async (_, bytes, code, what) => {
    const spoolDirectory = await mkdtemp(join(tmpdir(), "rec-push-test-"));
    await expect(readPacked(bytes, { spoolDirectory })).rejects.toMatchObject({
      kind: "input",
      code: expect.stringContaining(code) as string,
      message: expect.stringContaining(what) as string,
    });
    expect(await readdir(spoolDirectory)).toEqual([]);
  });

  it("is bounded by maxInputBytes", async () => {
    const reading = readPacked(gzipSync(book), { maxInputBytes: 100 });
    await expect(reading).rejects.toMatchObject({ code: "too-long" });
  });
});

describe("a workbook", () => {
  it.each([
    ["in a file of its own", book],
    ["that is packed once more", gzipSync(book)],
  ])("%s is read no further once a signal has come", async (_, bytes) => {
    const stop = new AbortController();
    const { source, left } = await open(bytes, { stop: stop.signal });
    stop.abort();
    await expect(inspectSource(source, {})).rejects.toMatchObject({ kind: "interrupted" });
    await source.close();
    expect(await left()).toEqual([]);
  });

  it("that is packed once more is not unpacked once a signal has come", async () => {
    const opening = open(gzipSync(book), { stop: AbortSignal.abort() });
    await expect(opening).rejects.toMatchObject({ kind: "interrupted" });
  });
});
