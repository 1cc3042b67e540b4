import { describe, expect, it } from "vitest";
import { comparePlans, type PlanTexts } from "../../src/store/content-index.ts";

const streamed = (onInvalid: string, pivot?: string): PlanTexts => ({
  "--on-invalid": onInvalid,
  ...(pivot === undefined ? {} : { "--pivot-year": pivot }),
});

const compare = (then: PlanTexts, now: PlanTexts): string[] => comparePlans(then, now);

describe("the pivot year of a run without survey", () => {
  it.each([
    ["stop", "not given", undefined],
    ["stop", "not given", "1945"],
    ["skip", "1945", "1945"],
    ["skip", undefined, undefined],
  ])("may be given after a row without one has stopped it: %s, %s then, %s now", (onInvalid, then, now) => {
    expect(compare(streamed(onInvalid, then), streamed(onInvalid, now))).toEqual([]);
  });

  it.each([
    ["skip", "not given", undefined],
    ["skip", "not given", "1945"],
    ["skip", undefined, "not given"],
    ["stop", undefined, "1945"],
    ["stop", undefined, "not given"],
    ["stop", "1945", "1944"],
  ])("is a difference otherwise: %s, %s then, %s now", (onInvalid, then, now) => {
    expect(compare(streamed(onInvalid, then), streamed(onInvalid, now))).toHaveLength(1);
  });

  it("is a difference with a survey", () => {
    const surveyed = (pivot: string): PlanTexts => ({ ...streamed("stop", pivot), "the rows": "1 updates" });
    expect(compare(surveyed("not given"), surveyed("1945"))).toHaveLength(1);
  });
});
