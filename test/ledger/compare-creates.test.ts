import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { compareCreates, type ComparedCreates } from "../../src/ledger/compare-creates.ts";
import { PRINT_BYTES } from "../../src/ledger/comparison-form.ts";
import { countCreates, whyLeftOut } from "../../src/ledger/exports-rule.ts";
import { PrintSpool } from "../../src/ledger/print-table.ts";
import { makeDirectory } from "../support/temp-files.ts";

let directory = "";

/** A record: its identity and its values. */
type Told = readonly [id: number, value: number];

interface Source {
  readonly kind: "created" | "changed";
  readonly isIdentified: boolean;
  readonly doubtful: boolean;
  readonly records: readonly Told[];
}

/** `1.0 2.1`: the records 1 with the value 0, and 2 with 1. */
function recordsOf(text: string): readonly Told[] {
  return text.split(" ").map((one) => [Number(one[0]), Number(one[2])]);
}

function sourceWith(records: string, more: Partial<Source> = {}): Source {
  return { kind: "created", isIdentified: false, doubtful: false, records: recordsOf(records), ...more };
}

function putPrint(target: Buffer, at: number, [id, value]: Told): void {
  target.fill(0, at, at + PRINT_BYTES);
  target.writeUInt32LE(id * 1000 + value, at);
  target.writeUInt32LE(Math.imul(id * 1000 + value, 0x9e3779b1) >>> 0, at + 4);
  target.writeUInt32LE(Math.imul(id * 1000 + value, 0x85ebca6b) >>> 0, at + 8);
}

function putIdentity(target: Buffer, at: number, [id]: Told): void {
  target.fill(0, at, at + PRINT_BYTES);
  target.writeUInt32LE(id, at);
  target.writeUInt32LE(0x77, at + 8);
}

async function spoolOf(records: readonly Told[], isIdentified = false): Promise<PrintSpool> {
  const spool = await PrintSpool.create(directory, isIdentified ? [["id"]] : []);
  for (const record of records)
    await spool.add((target, at) => {
      putPrint(target, at, record);
      if (isIdentified) putIdentity(target, at + PRINT_BYTES, record);
    });
  return spool;
}

function sourceOf({ kind, isIdentified, doubtful, records }: Source, at: number): ComparedCreates {
  return {
    kind,
    run: `run ${at}`,
    hashed: isIdentified ? [["other"], ["id"]] : [["other"]],
    async scan(take) {
      const width = (isIdentified ? 3 : 2) * PRINT_BYTES;
      const prints = Buffer.alloc((1 + records.length) * width);
      // Behind something that is no print of the source.
      for (const [at, record] of records.entries()) {
        putPrint(prints, (1 + at) * width, record);
        if (isIdentified) putIdentity(prints, (1 + at) * width + 2 * PRINT_BYTES, record);
        take(prints, (1 + at) * width, doubtful);
      }
    },
  };
}

/** The same with lists: each create removes an equal one from the ledger's list. */
function leftOutByLists(records: readonly Told[], sources: readonly Source[]): boolean[] {
  const left = sources.flatMap(({ records }) => records.map((record) => record.join()));
  return records.map((record) => {
    const at = left.indexOf(record.join());
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

const told = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 2 }));
const records = fc.array(told, { maxLength: 30 });
const created = fc.record({
  kind: fc.constant("created" as const),
  isIdentified: fc.constant(false),
  doubtful: fc.boolean(),
  records,
});
const sourcesUpTo = (maxLength: number) => fc.array(created, { maxLength });

describe("creates beside those of the ledger", () => {
  beforeEach(async () => {
    directory = await makeDirectory();
  });

  it("are compared as counted lists are, in one table or in many", async () => {
    await fc.assert(
      fc.asyncProperty(
        records,
        sourcesUpTo(4),
        fc.integer({ min: 1, max: 8 }),
        async (own, sources, most) => {
          const spool = await spoolOf(own);
          const bounds = { mostInATable: most };
          const comparison = await compareCreates(spool, sources.map(sourceOf), undefined, bounds);
          const isLeftOut = [...comparison.states].map((state) =>
            ["created", "inDoubt"].includes(whyLeftOut(state) ?? ""),
          );
          expect(isLeftOut).toEqual(leftOutByLists(own, sources));
          for (const [at, source] of sources.entries()) {
            const isShared = leftOutByLists(source.records, [{ ...source, records: own }]);
            const shared = isShared.filter(Boolean).length;
            expect(comparison.shared[at]).toEqual({ shared, missing: source.records.length - shared });
          }
          await spool.remove();
        },
      ),
    );
  });

  it("are each left out or sent, and those settled by their own run are neither", async () => {
    await fc.assert(
      fc.asyncProperty(records, sourcesUpTo(3), fc.func(fc.boolean()), async (own, sources, settled) => {
        const isSettled = (at: number): boolean => settled(at);
        const spool = await spoolOf(own);
        const comparison = await compareCreates(spool, sources.map(sourceOf), undefined, { isSettled });
        const asked = own.filter((_, at) => !isSettled(at));
        const counts = countCreates(comparison);
        expect(counts.creates).toBe(asked.length);
        expect(counts.equal).toBe(leftOutByLists(asked, sources).filter(Boolean).length);
        await spool.remove();
      }),
    );
  });

  it("with an identity are created, changed or new by that, and by the whole record where the ledger does not hold it", async () => {
    const sources = [
      sourceWith("1.0 2.0"),
      sourceWith("3.0 4.0 5.0", { isIdentified: true }),
      sourceWith("5.1", { kind: "changed", isIdentified: true }),
    ];
    const own = recordsOf("1.0 3.0 4.1 5.1 6.0 6.1");
    const spool = await spoolOf(own, true);
    const comparison = await compareCreates(spool, sources.map(sourceOf), ["id"]);
    const why = ["created", "created", "changed", "changed", "repeated", undefined];
    expect([...comparison.states].map(whyLeftOut)).toEqual(why);
    const counts = { creates: 6, equal: 2, changed: 2, newlyChanged: 1, fresh: 1, repeated: 1 };
    expect(countCreates(comparison)).toEqual(counts);
    // The second earlier record is not in the file, and its identity is not known.
    expect(comparison.unidentified).toBe(1);
    await spool.remove();
  });

  it.each([
    ["whole records", false],
    ["an identity", true],
  ])(
    "name the run that left them in doubt only where nothing certain explains them: %s",
    async (_, isIdentified) => {
      const doubtful = sourceWith("1.0 2.0", { isIdentified, doubtful: true });
      const certain = sourceWith("1.0", { isIdentified });
      const own = recordsOf("1.0 2.0 3.0");
      const spool = await spoolOf(own, isIdentified);
      const identity = isIdentified ? ["id"] : undefined;
      const comparison = await compareCreates(spool, [doubtful, certain].map(sourceOf), identity);
      expect([...comparison.doubtful]).toEqual([["run 0", 1]]);
      expect([...comparison.states].map(whyLeftOut)).toEqual(["created", "inDoubt", undefined]);
      await spool.remove();
    },
  );
});
