import { describe, expect, it } from "vitest";
import { openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const FRENCH = Buffer.from(
  "cle;libelle;date_billed;actual_billable_amount\nA1;Écran;13/07/2016;1,5\n",
  "latin1",
);
const OPTIONS = [
  ["--encoding", "windows-1252"],
  ["--delimiter", ";"],
  ["--date-format", "DD/MM/YYYY"],
  ["--decimal", ","],
] as const;

describe("--pinned", () => {
  it("stops before anything is sent, and lists every option to add", async () => {
    const sandbox = await openSandbox();
    const { code, stderr } = await pushTo(sandbox, [await makeFile("a.csv", FRENCH), "--pinned"]);
    expect(code).toBe(3);
    expect(stderr).toContain("--pinned: 4 things are inferred; nothing was sent");
    expect(stderr).toMatch(/--date-format DD\/MM\/YYYY is inferred \(date_billed is settled by line 2/);
    expect(stderr).toContain(
      "add: --encoding windows-1252 --delimiter semicolon --date-format DD/MM/YYYY --decimal ,",
    );
    expect(sandbox.requests().requests).toBe(0);
  });

  it("takes the file once every option is there", async () => {
    const file = await makeFile("a.csv", FRENCH);
    expect((await runMain(["check", file, "--pinned", ...OPTIONS.flat()])).code).toBe(0);
  });

  it.each(OPTIONS.map((option, missing) => [option.join(" "), missing] as const))(
    "stops when only %s is missing",
    async (_, missing) => {
      const file = await makeFile("a.csv", FRENCH);
      const given = OPTIONS.filter((_option, at) => at !== missing).flat();
      expect((await runMain(["check", file, "--pinned", ...given])).code).toBe(3);
    },
  );

  it("wants no option for UTF-8, JSON and one column", async () => {
    const json = await makeFile("a.json", '[{"cle":"é","actual_billable_amount":1.5}]');
    expect((await runMain(["check", json, "--pinned"])).code).toBe(0);
    const column = await makeFile("a.csv", "libelle\n5 é\n");
    expect((await runMain(["check", column, "--pinned", "--map", "libelle=libelle"])).code).toBe(0);
  });

  it("names an option for each amount column where they differ in their decimal mark", async () => {
    const text = "cle;actual_billable_amount;a_amount\nA1;1,50;1.50\n";
    const file = await makeFile("a.csv", text);
    const given = ["check", file, "--pinned", "--delimiter", ";"];
    const { code, stderr } = await runMain(given);
    expect(code).toBe(3);
    const options = ["--type", "actual_billable_amount=amount:,", "--type", "a_amount=amount:."];
    expect(stderr).toContain(`add: ${options.join(" ")}`);
    expect((await runMain([...given, ...options])).code).toBe(0);
  });
});
