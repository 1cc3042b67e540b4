import { describe, expect, it } from "vitest";
import { type FaultRequest, FaultSet } from "../../src/sandbox/faults.ts";

const update: FaultRequest = {
  kind: "update",
  text: '[{"cle":"1"}]',
  records: [{ cle: "1" }],
};
const create: FaultRequest = {
  kind: "create",
  text: '[{"a":"b"}]',
  records: [{ a: "b" }],
};

/** The requests that a rule strikes, as `x`; they arrive at these times (default: all at once). */
function strikes(rule: string, requests: readonly FaultRequest[], times: readonly number[] = []): string {
  let now = 0;
  const faults = new FaultSet([rule], () => now);
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
    ["status=503,skip=2", six, "..xxxx"],
    ["status=503,skip=2,times=1", six, "..x..."],
    ["status=503,kind=create", mixed, ".x.x"],
    ["status=503,kind=update,skip=1", mixed, "..x."],
    ['status=503,match="""a"""', mixed, ".x.x"],
    ["refuse=a:b,times=1", mixed, ".x.."],
    ["refuse=a:b", mixed, ".x.x"],
    ["refuse=a:c", mixed, "...."],
    ["refuse=constructor:b", mixed, "...."],
  ])("%s strikes the right requests", (rule, requests, expected) => {
    expect(strikes(rule, requests)).toBe(expected);
  });

  it.each([
    ["rate=2", [0, 0, 0, 499, 500, 501, 5000, 5000, 5000], "..xxxx..x"],
    ["rate=0.5", [0, 1000, 1999, 2000], ".xx."],
  ])("%s goes by the clock", (rule, times, expected) => {
    expect(
      strikes(
        rule,
        times.map(() => update),
        times,
      ),
    ).toBe(expected);
  });

  it("adds up waits, and takes the first rule that answers", () => {
    const rules = ["latency=20", "status=503,times=1", "latency=5", "status=500"];
    const faults = new FaultSet(rules, () => 0);
    expect(faults.strike(update)).toMatchObject({ latencyMs: 25, rule: { status: 503, times: 1 } });
    expect(faults.strike(update)).toMatchObject({ latencyMs: 25, rule: { status: 500 } });
    faults.set([]);
    expect(faults.strike(update)).toEqual({ latencyMs: 0, honoursKeys: false, rule: undefined });
  });
});
