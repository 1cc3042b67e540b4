import { describe, expect, it } from "vitest";
import { parseFault } from "../../src/sandbox/fault-rules.ts";
import { type FaultRequest, FaultSet } from "../../src/sandbox/fault-set.ts";

const update: FaultRequest = {
  table: "t",
  kind: "update",
  text: '[{"cle":"1"}]',
  bytes: 13,
  records: [{ cle: "1" }],
};
const create: FaultRequest = {
  table: "u",
  kind: "create",
  text: '[{"a":"b"}]',
  bytes: 11,
  records: [{ a: "b" }],
};

/** The requests that a rule strikes, as `x`; they arrive at these times (default: all at once). */
function strikes(rule: string, requests: readonly FaultRequest[], times: readonly number[] = []): string {
  let now = 0;
  const faults = new FaultSet([parseFault(rule)], () => now);
  return requests
    .map((request, index) => {
      now = times[index] ?? now;
      return faults.strike(request).rule === undefined ? "." : "x";
    })
    .join("");
}

const six = Array.from({ length: 6 }, () => update);
const mixed = [update, create, update, create];

describe("the faults in force", () => {
  it.each([
    ["status=503", six, "xxxxxx"],
    ["status=503,times=2", six, "xx...."],
    ["status=503,first=3", six, "xxx..."],
    ["status=503,skip=2", six, "..xxxx"],
    ["status=503,skip=2,first=1", six, "..x..."],
    ["status=503,every=3", six, "..x..x"],
    ["status=503,every=2,times=2", six, ".x.x.."],
    ["status=503,skip=1,every=2", six, "..x.x."],
    ["status=503,chance=0", six, "......"],
    ["status=503,kind=create", mixed, ".x.x"],
    ["status=503,kind=update,skip=1", mixed, "..x."],
    ["status=503,table=u", mixed, ".x.x"],
    ['status=503,match="""a"""', mixed, ".x.x"],
    ["body-limit=12", mixed, "x.x."],
    ["body-limit=13", mixed, "...."],
    ["body-limit=12,times=1", mixed, "x..."],
    ["refuse=a:b", mixed, ".x.x"],
    ["refuse=a:c", mixed, "...."],
    ["refuse=constructor:b", mixed, "...."],
  ])("%s strikes the right requests", (rule, requests, expected) => {
    expect(strikes(rule, requests)).toBe(expected);
  });

  it.each([
    ["rate=2", [0, 0, 0, 499, 500, 501, 5000, 5000, 5000], "..xx.x..x"],
    ["rate=0.5", [0, 1000, 1999, 2000], ".xx."],
    ["token-life=60", [1000, 60_000, 60_999, 61_000, 90_000], "...xx"],
    ["token-life=60,times=1", [0, 60_000, 60_001], ".x."],
    ["token-life=0", [0, 1], "xx"],
  ])("%s goes by the clock", (rule, times, expected) => {
    expect(
      strikes(
        rule,
        times.map(() => update),
        times,
      ),
    ).toBe(expected);
  });

  it("strikes by chance as often as it was told, the same for the same seed only", () => {
    const many = Array.from({ length: 2000 }, () => update);
    const first = strikes("status=503,chance=0.1,seed=7", many);
    expect(strikes("status=503,chance=0.1,seed=7", many)).toBe(first);
    expect(strikes("status=503,chance=0.1,seed=8", many)).not.toBe(first);
    const count = first.replaceAll(".", "").length;
    expect(count).toBeGreaterThan(140);
    expect(count).toBeLessThan(260);
  });

  it("adds up waits, takes the first rule that answers, and counts what struck", () => {
    const rules = ["latency=20", "status=503,times=1", "latency=5", "status=500"].map(parseFault);
    const faults = new FaultSet(rules, () => 0);
    expect(faults.strike(update)).toMatchObject({ latencyMs: 25, rule: { text: "status=503,times=1" } });
    expect(faults.strike(update)).toMatchObject({ latencyMs: 25, rule: { text: "status=500" } });
    expect(faults.active().map(({ struck }) => struck)).toEqual([2, 1, 2, 1]);
    faults.set([]);
    expect(faults.strike(update)).toEqual({ latencyMs: 0, honoursKeys: false, rule: undefined });
  });
});
