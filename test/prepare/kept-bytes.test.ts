import { open, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PreparedRecord, RecordText } from "../../src/model/settlement.ts";
import { KeptBytes } from "../../src/prepare/thread/record-maker.ts";
import { buildBody } from "../../src/send/service.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { toRecord, toRecords } from "../support/to-record.ts";

const envelope = { before: "[", after: "]" };

/** Records with these JSON texts, which are in the shared `text` from `at` on. */
function recordsOf(texts: readonly string[], text: RecordText, at = 0): PreparedRecord[] {
  let start = at;
  return texts.map((json, index) => {
    const bytes = Buffer.byteLength(json);
    const place = { line: index + 1, rowStart: 0, rowEnd: 0 };
    const record = toRecord({ ...place, key: "K", ordinal: index, text, start, bytes });
    start += bytes + 1;
    return record;
  });
}

async function keep(content: string): Promise<{ path: string; fd: number; close: () => Promise<void> }> {
  const path = join(await makeDirectory(), "records");
  await writeFile(path, content);
  const handle = await open(path, "r");
  return { path, fd: handle.fd, close: () => handle.close() };
}

const chunks = fc.array(
  fc.array(fc.tuple(fc.string({ unit: "grapheme", maxLength: 30 }), fc.boolean()), {
    minLength: 1,
    maxLength: 40,
  }),
  { minLength: 1, maxLength: 4 },
);

describe("records kept in a file", () => {
  it("make the same bodies as records in memory, whichever of them are sent", async () => {
    await fc.assert(
      fc.asyncProperty(chunks, fc.boolean(), async (drawn, isReversed) => {
        const texts = drawn.map((rows) => rows.map(([value]) => JSON.stringify({ value })));
        const { fd, close } = await keep(texts.map((chunk) => chunk.join(",")).join(""));
        let at = 0;
        const records = texts.flatMap((chunk, index) => {
          const kept = recordsOf(chunk, new KeptBytes({ fd }, at));
          at += Buffer.byteLength(chunk.join(","));
          return kept.filter((_, row) => drawn[index]![row]![1]);
        });
        const sent = isReversed ? records.toReversed() : records;
        const expected = texts.flatMap((chunk, index) => chunk.filter((_, row) => drawn[index]![row]![1]));
        const body = buildBody(toRecords(sent), envelope).toString();
        await close();
        expect(body).toBe(`[${(isReversed ? expected.toReversed() : expected).join(",")}]`);
      }),
    );
  });

  it("are read at once where pieces of them follow", async () => {
    const { path, fd, close } = await keep("0123456789");
    const [kept, other] = [new KeptBytes({ fd }, 2), new KeptBytes({ fd }, 0)];
    kept.readAhead(1, 7);
    await truncate(path, 0);
    const target = Buffer.alloc(3, ".");
    kept.copy(target, 1, 4, 6);
    expect(target.toString()).toBe(".67");
    expect(() => other.copy(target, 0, 4, 6)).toThrow("the file of prepared records cannot be read");
    expect(() => kept.copy(target, 0, 6, 8)).toThrow("the file of prepared records cannot be read");
    await close();
  });

  it("are read piece by piece where the pieces lie far apart", async () => {
    const { path, fd, close } = await keep(`${"x".repeat(2_000_000)}y`);
    const kept = new KeptBytes({ fd }, 0);
    kept.readAhead(0, 2_000_001);
    const target = Buffer.alloc(1);
    kept.copy(target, 0, 2_000_000, 2_000_001);
    expect(target.toString()).toBe("y");
    await truncate(path, 0);
    expect(() => kept.copy(target, 0, 0, 1)).toThrow("cannot be read");
    await close();
  });

  it("are not taken from another file once theirs is closed", async () => {
    const { path, close } = await keep("0123");
    const file = await open(path);
    const kept = new KeptBytes(file, 0);
    await file.close();
    // Gets the descriptor that has become free.
    const other = await open(path);
    expect(() => kept.copy(Buffer.alloc(1), 0, 0, 1)).toThrow("cannot be read");
    await other.close();
    await close();
  });
});
