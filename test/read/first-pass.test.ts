import { describe, expect, it } from "vitest";
import { FirstPass, type Inspection } from "../../src/read/inspect-source.ts";
import { openContent } from "../../src/read/read-rows.ts";
import { inspectSource, join, sourceOf } from "./chunks.ts";

/** Longer than the first MiB by more than a block. */
const ROWS = 120_000;
const LATE = 110_000;

/** A CSV in which one row, far behind the first MiB, holds something else. */
function tableWith(late: string, first = "x"): string {
  const rows = Array.from({ length: ROWS }, (_, at) => `A${at};libelle ${at === LATE ? late : first}`);
  return `cle;libelle\n${rows.join("\n")}\n`;
}

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
describe("the first pass over a source", () => {
  it.each([
    ["nothing but ASCII", Buffer.from(tableWith("y")), true],
    ["UTF-8 from the beginning", Buffer.from(tableWith("été", "payé")), true],
    ["UTF-8 that shows late", Buffer.from(tableWith("été")), true],
    ["windows-1252 from the beginning", latin1(tableWith("été", "payé")), true],
    ["windows-1252 that shows late", latin1(tableWith("été")), true],
    ["UTF-16", Buffer.from(`\ufeff${tableWith("été")}`, "utf16le"), true],
    ["JSON", Buffer.from(`[${Array.from({ length: ROWS }, (_, at) => `{"cle":"A${at}"}`).join(",")}]`), true],
    [
      "lines of JSON",
      Buffer.from(Array.from({ length: ROWS }, (_, at) => `{"cle":"A${at}"}\n`).join("")),
      true,
    ],
    ["windows-1252 whose first word is valid UTF-8", latin1(tableWith("été", "PAYÉ\u00a0")), false],
    ["no more than the first MiB", Buffer.from("cle;libelle\nA1;x\n"), false],
  ])("of %s gives its content on the way", async (_, bytes, isAsEarly) => {
    const source = sourceOf(bytes, 65_537);
    const first = await FirstPass.begin(source, {});
    const early = await first.early();
    const content = await join(first.content());
    const { inspection, ...more } = await first.finish();
    await first.close();
    const inspected = await inspectSource(source, {});
    expect(more).toEqual({ isAsEarly });
    expect(withoutProof(inspection)).toEqual(withoutProof(inspected));
    const asInspected = await join(openContent(source, inspection));
    expect(content.equals(asInspected)).toBe(isAsEarly || early === undefined);
    const { columns, format } = inspection.reading;
    expect(early?.reading ?? inspection.reading).toMatchObject({ columns, format });
  });

  it.each([
    ["a NUL", Buffer.from(tableWith("a\0b")), "nul-byte"],
    [
      "what is not UTF-8",
      Buffer.concat([Buffer.from(tableWith("x", "payé")), latin1("A;réglé\n")]),
      "mixed-encoding",
    ],
    ["a control character", Buffer.from(tableWith("a\u0085b", "payé")), "control-character"],
  ])("finds %s behind what was used", async (_, bytes, code) => {
    const source = sourceOf(bytes, 65_536);
    for (const isUsed of [true, false]) {
      const first = await FirstPass.begin(source, {});
      expect(await first.early()).toBeDefined();
      if (isUsed) await join(first.content());
      const failure = await attempt(first.finish());
      expect(failure).toMatchObject({ kind: "input", code });
      expect(failure).toEqual(await attempt(inspectSource(source, {})));
      await first.close();
    }
  });

  it("reads on where its content was not used to the end", async () => {
    const source = sourceOf(latin1(tableWith("été")), 65_536);
    const expected = await inspectSource(source, {});
    for (const pieces of [0, 1, 20]) {
      const first = await FirstPass.begin(source, {});
      expect(await first.early()).toBeDefined();
      const content = first.content()[Symbol.asyncIterator]();
      for (let at = 0; at < pieces; at++) await content.next();
      await content.return(undefined);
      const { inspection } = await first.finish();
      expect(withoutProof(inspection)).toEqual(withoutProof(expected));
      await first.close();
    }
  });

  it("settles nothing early where the first MiB leaves a question, and asks it at the end", async () => {
    const source = sourceOf(Buffer.from(`1;2\n${"3;4\n".repeat(400_000)}`), 65_536);
    const first = await FirstPass.begin(source, {});
    expect(await first.early()).toBeUndefined();
    expect(await attempt(first.finish())).toEqual(await attempt(inspectSource(source, {})));
  });

  it("keeps a failure of the source until the end", async () => {
    const failing = {
      ...sourceOf(""),
      async *open() {
        yield Buffer.from(tableWith("x"));
        throw new Error("unplugged");
      },
    };
    const first = await FirstPass.begin(failing, {});
    expect(await first.early()).toBeDefined();
    await expect(join(first.content())).rejects.toThrow("unplugged");
    await expect(first.finish()).rejects.toThrow("unplugged");
  });
});

function withoutProof({ reading, surplus, proof: { totalBytes } }: Inspection): object {
  return { reading, surplus, totalBytes };
}

async function attempt<T>(result: Promise<T>): Promise<T | Error> {
  try {
    return await result;
  } catch (error) {
    return error as Error;
  }
}
