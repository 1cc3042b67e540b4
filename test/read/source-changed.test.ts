import { describe, expect, it } from "vitest";
import { inspectSource } from "../../src/read/inspect-source.ts";
import { readRows } from "../../src/read/read-rows.ts";
import { join, sourceOf } from "./chunks.ts";

const BYTES = 3_000_000;
const ROW_BYTES = 200;

describe("a source that changes after the inspection", () => {
  it.each([
    ["in a later block", 2_500_000, (bytes: Buffer) => bytes.fill("9", 2_500_000, 2_500_001)],
    ["in its length", BYTES, (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("A1;5\n")])],
    ["to bytes that cannot be decoded", 0, () => Buffer.from([0xff, 0x81])],
  ])("%s stops the reading before a changed block is handed on", async (_, changedAt, change) => {
    const row = "A1;5\n".padStart(ROW_BYTES, "0");
    const source = sourceOf("cle;montant\n".padEnd(BYTES, row), 65_536);
    const inspection = await inspectSource(source, {});
    source.swap(change(await join(source.open())));
    let rows = 0;
    const reading = (async () => {
      for await (const chunk of readRows(source, inspection, {})) rows += chunk.rows.length;
    })();
    await expect(reading).rejects.toMatchObject({ kind: "input", code: "source-changed" });
    const { blockBytes } = inspection.proof;
    expect(rows).toBeLessThanOrEqual((Math.floor(changedAt / blockBytes) * blockBytes) / ROW_BYTES);
  });
});

describe("a source in windows-1252 that changes", () => {
  it("is reported as changed, not as undecodable", async () => {
    const source = sourceOf(Buffer.from("cle;libelle\nA1;Cl\u00e9\n", "latin1"));
    const inspection = await inspectSource(source, {});
    source.swap(Buffer.from("cle;libelle\nA1;Cl\u0081\n", "latin1"));
    const reading = join(readRows(source, inspection, {}) as never);
    await expect(reading).rejects.toMatchObject({ code: "source-changed" });
  });
});
