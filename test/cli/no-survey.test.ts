import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const HEADER = "cle;date_billed;actual_billable_amount\n";
const PINS = ["--date-format", "DD/MM/YYYY", "--decimal", ",", "--no-survey"];

function rows(from: number, to: number): string {
  let text = "";
  for (let row = from; row <= to; row++) text += `A${row};05/07/2016;${row},50\n`;
  return text;
}

describe("--no-survey", () => {
  it("sends what a survey would have sent, once the formats are pinned", async () => {
    const sandbox = await openSandbox();
    const { code, stdout, stderr } = await pushTo(sandbox, [
      await makeFile("a.csv", HEADER + rows(1, 3)),
      ...PINS,
    ]);
    expect(code).toBe(0);
    expect(stderr).toContain("not surveyed: rows are sent as they are read");
    expect(stdout).toContain("3 rows read: 3 accepted");
    expect(heldBy(sandbox)[0]).toEqual({
      cle: "A1",
      date_billed: "2016-07-05",
      actual_billable_amount: "1.50",
    });
  });

  it("is wrong usage while a format is not pinned, for JSON and for a check", async () => {
    const sandbox = await openSandbox();
    const csv = await makeFile("a.csv", HEADER + rows(1, 3));
    const open = await pushTo(sandbox, [csv, "--no-survey", "--decimal", ","]);
    expect(open.code).toBe(2);
    expect(open.stderr).toContain("--date-format DD/MM/YYYY");
    const json = await makeFile("a.json", '[{"cle":"A1","libelle":"x"}]');
    expect((await pushTo(sandbox, [json, "--no-survey"])).code).toBe(2);
    expect((await pushTo(sandbox, [csv, ...PINS, "--dry-run"])).code).toBe(2);
    expect(sandbox.requests().requests).toBe(0);
  });

  it("ends with 4 at an invalid row after rows that were sent, with counts that add up", async () => {
    const sandbox = await openSandbox();
    const bad = "B1;31/02/2016;1,50\n";
    const file = await makeFile("a.csv", HEADER + rows(1, 20_000) + bad + rows(20_001, 20_100));
    const run = await pushTo(sandbox, [file, ...PINS, "--json", "--batch-size", "100"]);
    expect(run.code).toBe(4);
    const events = run.events();
    expect(events.filter(({ event }) => event === "reject")).toMatchObject([
      { line: 20_002, value: "31/02/2016" },
    ]);
    const summary = events.at(-1) as Record<string, number>;
    expect(summary["read"]).toBe(20_001);
    expect(summary["rejected"]).toBe(1);
    expect(summary["accepted"]).toBe(heldBy(sandbox).length);
    expect(summary["accepted"]).toBeGreaterThan(0);
    expect(summary["accepted"]! + summary["notSent"]! + 1).toBe(20_001);
    expect(summary["reason"]).toContain("were not read and are not counted");
    expect(heldBy(sandbox).some(({ cle }) => Number(cle?.slice(1)) > 20_000)).toBe(false);
  });

  it("ends with 3 where the invalid row stopped it before anything was sent", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", `${HEADER}B1;31/02/2016;1,50\n${rows(1, 3)}`);
    const { code, stdout } = await pushTo(sandbox, [file, ...PINS]);
    expect(code).toBe(3);
    expect(stdout).toContain("1 row read: 1 rejected");
    expect(heldBy(sandbox)).toHaveLength(0);
  });

  it("leaves invalid rows out as they come with --on-invalid skip", async () => {
    const sandbox = await openSandbox();
    const text = `${HEADER}B1;31/02/2016;1,50\n${rows(1, 2)}B2;short\n;;\n${rows(3, 4)}`;
    const run = await pushTo(sandbox, [
      await makeFile("a.csv", text),
      ...PINS,
      "--json",
      "--on-invalid",
      "skip",
    ]);
    expect(run.code).toBe(4);
    expect(run.events().at(-1)).toMatchObject({ read: 7, accepted: 4, rejected: 2, skipped: 1, notSent: 0 });
  });

  it("still warns of an encoding it inferred", async () => {
    const file = await makeFile("a.csv", Buffer.from("cle;num_commande\nA1é;1\n", "latin1"));
    const argv = [file, "--table", "t", "--sandbox", "--no-survey", "--quiet"];
    expect((await runMain(argv)).stderr).toContain("--encoding windows-1252");
  });
});

describe("a row of totals", () => {
  const text = `${HEADER}${rows(1, 3)}Total;;7,50\n`;

  it.each([
    ["after a survey", PINS.slice(0, 4)],
    ["without one", PINS],
  ])("stops the run %s, unless an option says what to do", async (_, options) => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", text);
    const stopped = await pushTo(sandbox, [file, ...options]);
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain('a.csv:5: the row looks like a total: it begins with "Total"');
    expect(sandbox.requests().requests).toBe(0);
    expect((await pushTo(sandbox, [file, ...options, "--on-invalid", "skip"])).code).toBe(4);
    expect(heldBy(sandbox)).toHaveLength(3);
    expect((await pushTo(sandbox, [file, ...options, "--skip-footer", "1"])).code).toBe(0);
    expect((await pushTo(sandbox, [file, ...options, "--totals", "keep"])).code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(4);
  });

  it.each([
    ["after a survey", PINS.slice(0, 4)],
    ["without one", PINS],
  ])("is left out with --totals skip wherever it stands, %s", async (_, options) => {
    const sandbox = await openSandbox();
    const middle = `${HEADER}${rows(1, 3)}Sous-total;;7,50\n${rows(4, 5)};;\n;;10,00\n;;\n`;
    const file = await makeFile("a.csv", middle);
    const { code, events, stderr } = await pushTo(sandbox, [file, ...options, "--totals", "skip", "--json"]);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    expect(events().at(-1)).toMatchObject({ read: 9, accepted: 5, skipped: 4, rejected: 0 });
    expect(heldBy(sandbox)).toHaveLength(5);
  });

  it("is kept by --keep-footer, the older name of --totals keep, and contradicts --totals skip", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", text);
    const { code, stderr } = await pushTo(sandbox, [file, ...PINS, "--keep-footer", "--totals", "skip"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("exclude each other")]);
    expect((await pushTo(sandbox, [file, ...PINS, "--keep-footer"])).code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(4);
  });
});
