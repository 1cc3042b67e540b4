import { describe, expect, it } from "vitest";
import type { RunEnd } from "../../src/model/exit-code.ts";
import { RecPushError } from "../../src/model/failure.ts";
import { adviseNext } from "../../src/report/advice.ts";

const END: RunEnd = {
  read: 10,
  counts: { accepted: 5, refused: 0, failed: 0, inDoubt: 0, rejected: 0, notSent: 5, skipped: 0 },
  batches: 0,
  doneRuns: [],
  runs: ["20261121-031500-3f9a1c"],
  openRuns: [],
  doubts: [],
  earlier: [],
  newlyChanged: 0,
  unpinned: [],
  failure: undefined,
};

describe("adviseNext", () => {
  it("says after each exit whether the same command may run again", () => {
    const safe = [0, 1, 7, 8, 9, 129, 130, 143];
    expect([...safe, 2, 3, 4, 5, 6].filter((code) => adviseNext(END, code).safeToRerun)).toEqual(safe);
  });

  it.each([4, 5, 6, 7, 129, 130, 143])("sends the rest with the same command after exit %i", (code) => {
    const failure = new RecPushError("all-refused", "x");
    expect(adviseNext({ ...END, failure }, code).next.join(" ")).toContain("run the same command again");
  });

  it("says first to wait after exit 7", () => {
    expect(adviseNext(END, 7).next[0]).toBe("wait until the service answers again");
  });

  const [RUN = ""] = END.runs;
  const about = { run: RUN, file: "a.csv", doubt: "0123abcd" };
  const inDoubt = (records: number, left = 0, isRefused = false): RunEnd["doubts"][number] => ({
    ...about,
    doubts: [{ batch: 1, kind: "create", lines: [2, 9], records, isRefused }],
    left,
  });
  const doubting = (doubts: RunEnd["doubts"], notSent: number): RunEnd => {
    const records = doubts.reduce((sum, { doubts: [doubt] }) => sum + doubt!.records, 0);
    return { ...END, doubts, counts: { ...END.counts, inDoubt: records, notSent } };
  };

  it("gives both commands for a record in doubt, with the run's name", () => {
    const { next } = adviseNext(doubting([inDoubt(1)], 0), 8);
    expect(next.slice(1)).toEqual([
      `if they are there: rec-push resume ${RUN} --in-doubt 0123abcd=applied`,
      `if they are not: rec-push resume ${RUN} --in-doubt 0123abcd=resend`,
    ]);
  });

  it("names the run of each file that has records in doubt, and no other", () => {
    const other = { ...inDoubt(2), run: "20261121-031501-000000", file: "b.csv" };
    const end = { ...doubting([inDoubt(2), other], 0), runs: [RUN, other.run, "20261121-031502-000000"] };
    const next = adviseNext(end, 8).next.join("\n");
    const step = (file: string, run: string): string =>
      `if those of ${file} are there: rec-push resume ${run} --in-doubt 0123abcd=applied`;
    expect(next).toContain(step("a.csv", RUN));
    expect(next).toContain(step("b.csv", other.run));
    expect(next).not.toContain("20261121-031502-000000");
  });

  it.each([
    [5, 0],
    [6, 1],
  ])("with %i rows not sent, of which the run sends 5, runs the command again %i times", (notSent, times) => {
    const { next } = adviseNext(doubting([inDoubt(2, 5)], notSent), 8);
    expect(next.filter((step) => step.startsWith("then run the same command again"))).toHaveLength(times);
  });

  it("creates what was said to be absent with a further push, also where the run ended well", () => {
    const ended = { ...END, counts: { ...END.counts, notSent: 1 } };
    expect(adviseNext(ended, 0).next.join()).toContain("push the same file again");
    expect(adviseNext({ ...ended, counts: { ...END.counts, notSent: 0 } }, 0).next).toEqual([]);
    expect(adviseNext({ ...ended, runs: [] }, 0).next).toEqual([]);
  });

  it("creates it with a further push also where rows are to be mended", () => {
    const { next } = adviseNext({ ...END, counts: { ...END.counts, notSent: 1, rejected: 1 } }, 4);
    const again = "push the same file again: it creates the records that you reported as missing";
    expect(next.join()).toContain(again);
    expect(next.join()).not.toContain("run the same command again");
  });

  it("sends creates that were refused together one by one", () => {
    const { next } = adviseNext(doubting([inDoubt(2, 3, true)], 3), 8);
    expect(next.join("\n")).toMatch(/resend --batch-size 1$/m);
  });

  it("gives up a run of which the service took nothing, where its address may be wrong", () => {
    const counts = { ...END.counts, accepted: 0 };
    const giveUp = `rec-push runs abandon ${END.runs[0]}`;
    expect(adviseNext({ ...END, counts }, 6).next.join("\n")).toContain(giveUp);
    expect(adviseNext(END, 6).next.join("\n")).not.toContain("abandon");
  });

  it("names no run where none is kept", () => {
    expect(adviseNext({ ...END, runs: [] }, 8).next.join("\n")).not.toContain("resume");
  });
});
