import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecPushError } from "../../src/model/failure.ts";
import {
  appliedFirst,
  sandboxHelp,
  type FaultRequest,
  FaultSet,
  faultWords,
  parseFault,
} from "../../src/sandbox/faults.ts";

function complaint(text: string): string {
  try {
    parseFault(text);
  } catch (error) {
    if (error instanceof RecPushError && error.kind === "usage") return error.message;
    throw error;
  }
  return "";
}

describe("a fault rule", () => {
  it("is read with all its parts", () => {
    expect(parseFault(" status = 429 ,retry-after=1, times=3,kind=create,skip=2,latency=20 ")).toMatchObject({
      kind: "create",
      skip: 2,
      times: 3,
      status: 429,
      "retry-after": 1,
      latency: 20,
    });
  });

  it.each([
    ['status=400,msg="Busy, sorry"', "Busy, sorry"],
    ['status=400,msg="say ""no"""', 'say "no"'],
    ["status=400,msg=a=b c", "a=b c"],
    ['msg=" x "', " x "],
    ['msg=say "no"', 'say "no"'],
  ])("reads the value of msg in %s", (text, msg) => {
    expect(parseFault(text).msg).toBe(msg);
  });

  it.each([
    ["status=500", 0],
    ["status=500,after-applying", Infinity],
    ["status=500,after-applying=3", 3],
    ["hang,after-applying", Infinity],
    ["drop=before", 0],
    ["drop=after", Infinity],
  ])("%s applies so many records first: %d", (text, count) => {
    expect(appliedFirst(parseFault(text))).toBe(count);
  });

  it.each([
    ["statuss=503", /"statuss" is not one of status, msg, .*times/],
    ["", /a word is missing/],
    ["status=503,", /a word is missing/],
    ["status", /status needs a value: status=CODE/],
    ["status=", /status needs a value/],
    ["status=99", /from 200 to 599, not "99"/],
    ["status=abc", /a whole number/],
    ["status=503,status=500", /given twice/],
    ["hang=1", /hang takes no value/],
    ["drop=later", /one of before, after, not/],
    ["kind=both", /one of create, update/],
    ["refuse=cle", /FIELD:VALUE/],
    ["refuse=:x", /FIELD:VALUE/],
    ["rate=0", /rate needs a number/],
    ["drop=after,hang", /drop and hang need a rule each/],
    ["drop=after,status=500", /drop and status need a rule each/],
    ["times=2", /does not say what happens/],
    ['msg="open', /quote of msg is not closed/],
    ['msg="a" b', /text follows it/],
  ])("is a usage error when it reads %s", (text, message) => {
    expect(complaint(text)).toMatch(message);
  });

  it("is read or complained about, whatever the text", () => {
    const words = fc.array(fc.tuple(fc.constantFrom(...faultWords), fc.string()));
    const likely = words.map((pairs) => pairs.map(([key, value]) => `${key}=${value}`).join(","));
    fc.assert(
      fc.property(fc.oneof(fc.string(), likely), (text) => {
        expect(complaint(text)).toMatch(/^$|^The fault "[^]*" cannot be set: [^]*\.$/);
      }),
    );
  });

  it("keeps any quoted text", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(parseFault(`status=500,msg="${text.replaceAll('"', '""')}",times=1`).msg).toBe(text);
      }),
    );
  });

  it("has every word in the help, which fits a terminal", () => {
    for (const key of faultWords) expect(sandboxHelp).toMatch(new RegExp(`^    ${key}[=[ ]`, "m"));
    expect(Math.max(...sandboxHelp.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
  });
});

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
