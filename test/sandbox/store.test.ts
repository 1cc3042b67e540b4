import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Store, type SandboxRecord } from "../../src/sandbox/store.ts";
import { post, sandboxFor } from "./client.ts";

describe("the store", () => {
  it("changes only the fields that an update gives", () => {
    const store = new Store();
    store.apply("t", [{ cle: "1", a: "x", b: "y" }]);
    store.apply("t", [{ cle: "1", b: "z", c: "" }]);
    expect(store.snapshot("t")).toEqual([{ cle: "1", a: "x", b: "z", c: "" }]);
  });

  it("gives every record without a key a fiche of its own", () => {
    const store = new Store();
    store.apply("t", [{ a: "1" }, { a: "1" }]);
    store.apply("t", [{ a: "1" }]);
    expect(store.snapshot("t").map(({ cle }) => cle)).toEqual(["F000001", "F000002", "F000003"]);
  });

  it("creates what an unknown key names", () => {
    const store = new Store();
    store.apply("t", [{ cle: "1" }, { cle: "2" }, { cle: "1", a: "b" }]);
    expect(store.snapshot("t")).toEqual([{ cle: "1", a: "b" }, { cle: "2" }]);
  });

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

  it("takes batches of 1,000 records over HTTP, from several clients at once", async () => {
    const sandbox = await sandboxFor();
    const batch = (from: number): SandboxRecord[] =>
      Array.from({ length: 1000 }, (_, index) => ({ cle: `K${from + index}`, a: String(from) }));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post(sandbox, batch(index * 1000))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(sandbox.store.table("commandes")?.records.size).toBe(20_000);
    expect(sandbox.requests()).toEqual({ requests: 20, statuses: { 200: 20 } });
  });
});
