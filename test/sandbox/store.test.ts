import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Store, type SandboxRecord } from "../../src/sandbox/store.ts";

describe("the store", () => {
  it.each([
    ["already in the table", [[{ cle: "F000001", a: "old" }], [{ a: "new" }]]],
    ["earlier in the batch", [[{ cle: "F000001", a: "old" }, { a: "new" }]]],
    ["later in the batch", [[{ a: "new" }, { cle: "F000001", a: "old" }]]],
  ])("never gives out a key that is %s", (_, batches: SandboxRecord[][]) => {
    const store = new Store();
    for (const batch of batches) store.apply("t", batch);
    expect(store.table("t")?.records.get("F000001")).toEqual({ cle: "F000001", a: "old" });
    expect(store.table("t")?.records.get("F000002")).toEqual({ cle: "F000002", a: "new" });
  });

  it("treats fields named like members of every object as fields", () => {
    const store = new Store();
    store.apply("t", JSON.parse('[{"cle":"1","__proto__":"a","constructor":"b"}]') as SandboxRecord[]);
    store.apply("t", JSON.parse('[{"cle":"1","__proto__":"c"},{"__proto__":"d"}]') as SandboxRecord[]);
    expect(store.snapshot("t").map((fiche) => JSON.stringify(fiche))).toEqual([
      '{"cle":"1","__proto__":"c","constructor":"b"}',
      '{"cle":"F000001","__proto__":"d"}',
    ]);
  });

  it("ends with the last value of every field, and one fiche a create, for any batches", () => {
    const record = fc.record(
      { cle: fc.constantFrom("a", "b", "F000002"), x: fc.string(), y: fc.string() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.array(record)), (batches) => {
        const store = new Store();
        for (const batch of batches) store.apply("t", batch);
        const all = batches.flat();
        const keys = new Set(all.flatMap(({ cle }) => cle ?? []));
        const creates = all.filter(({ cle }) => cle === undefined).length;
        // A create may take F000002 before an update names it: then that update is one of an existing fiche.
        const count = store.snapshot("t").length;
        expect(count).toBeLessThanOrEqual(keys.size + creates);
        expect(count).toBeGreaterThanOrEqual(keys.size + creates - (keys.has("F000002") ? 1 : 0));
        for (const key of ["a", "b"]) {
          const expected = Object.assign({}, ...all.filter(({ cle }) => cle === key)) as SandboxRecord;
          expect(store.table("t")?.records.get(key) ?? {}).toEqual(expected);
        }
      }),
    );
  });
});
