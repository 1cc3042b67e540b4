import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture } from "../support/fixture.ts";
import { runMain } from "../support/run-main.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

describe("rec-push check", () => {
  it("needs no URL and no token, and shows each column with what settled its format", async () => {
    const { code, stdout } = await runMain(["check", fixture("csv/orders-excel-fr.csv")]);
    expect(code).toBe(0);
    expect(stdout).toContain("7 rows: 5 updates, 2 creates (rows without cle)");
    expect(stdout).toMatch(
      /3 {2}Date billed -> date_billed, date DD\/MM\/YYYY \(settled by line 6 "13\/07\/2016"\)/,
    );
    expect(stdout).toContain("05/07/2016 -> 2016-07-05");
  });

  it("writes the records as NDJSON, and the report beside them", async () => {
    const path = join(await makeDirectory(), "records.ndjson");
    const file = await makeFile("a.csv", "cle,date_billed\nA1,2016-07-05\n,2016-07-06\n");
    const toFile = await runMain(["check", file, "--records", path]);
    expect(toFile.code).toBe(0);
    const expected = '{"cle":"A1","date_billed":"2016-07-05"}\n{"date_billed":"2016-07-06"}\n';
    expect(await readFile(path, "utf8")).toBe(expected);
    const toStdout = await runMain(["check", file, "--records", "-"]);
    expect(toStdout.stdout).toBe(expected);
    expect(toStdout.stderr).toContain("2 rows: 1 update, 1 create");
  });

  it("writes no record when the survey has not passed, and says every problem", async () => {
    const file = await makeFile("a.csv", "cle,date_billed\nA1,2016-07-05\nA2,2016-02-30\nA3,soon\n");
    const { code, stdout, stderr } = await runMain(["check", file, "--records", "-"]);
    expect(code).toBe(3);
    expect(stdout).toBe("");
    expect(stderr).toContain("a.csv:3:");
    expect(stderr).toContain("a.csv:4:");
  });

  it("ends with 4 if a push would leave out the same rows", async () => {
    const file = await makeFile("a.csv", "cle,date_billed\nA1,2016-07-05\nA2,2016-02-30\n");
    const { code, stdout } = await runMain(["check", file, "--on-invalid", "skip", "--records", "-"]);
    expect(code).toBe(4);
    expect(stdout).toBe('{"cle":"A1","date_billed":"2016-07-05"}\n');
  });

  it("asks the questions of all files at once, of every kind, with one line that settles them", async () => {
    const columns = await makeFile(
      "a.csv",
      "cle,Order No,date_billed\nA1,551035,05/07/2016\nA2,551036,06/07/2016\n",
    );
    const dates = await makeFile("b.csv", "cle,date_billed\nA1,05/07/2016\n");
    const rows = await makeFile("c.csv", "cle,date_billed\nA1,soon\n");
    const { code, stderr, events } = await runMain(["check", columns, dates, rows, "--json"], {
      others: "nothing",
    });
    expect(code).toBe(3);
    expect(stderr).toContain('a.csv:1: column 2 "Order No" looks like the field num_commande');
    expect(stderr).toMatch(/a\.csv: column "date_billed": .*05\/07\/2016/);
    expect(stderr).toMatch(/b\.csv: column "date_billed": .*05\/07\/2016/);
    expect(stderr).toContain('c.csv:2: column 2 "date_billed" holds "soon"');
    expect(events().filter(({ event }) => event === "error")).toHaveLength(1);
  });

  it("names, with the options for columns, the rows that are invalid whatever the answer is", async () => {
    const file = await makeFile(
      "a.csv",
      "cle,Order No,date_billed\nA1,551035,2016-02-30\nA2,1,2016-07-05,x\n",
    );
    const { code, stderr } = await runMain(["check", file], { others: "nothing" });
    expect(code).toBe(3);
    expect(stderr).toContain('add --map "Order No=num_commande"');
    expect(stderr).toContain('holds "2016-02-30"');
    expect(stderr).toContain("a.csv:3: ");
  });

  it("puts equal problems on one line, with their number and the first lines", async () => {
    const rows = Array.from(
      { length: 10_000 },
      (_, at) => `A${at},${at % 2 === 0 ? "30/02/2016" : "31/01/2016"}\n`,
    );
    const file = await makeFile("a.csv", `cle,date_billed\n${rows.join("")}`);
    for (const command of [["check"], ["push", "--table", "t", "--sandbox", "--allow-http"]]) {
      const { code, stderr } = await runMain([...command, file]);
      expect(code).toBe(3);
      expect(stderr).toMatch(
        /a\.csv: 5,000 x column 2 "date_billed" holds "30\/02\/2016": .*, lines 2, 4, 6 \.\.\./,
      );
      expect(stderr.split("\n").length).toBeLessThan(12);
    }
  });

  it("is recognised after options too", async () => {
    const { code, events } = await runMain(["--json", "check", fixture("csv/orders-excel-fr.csv")]);
    expect(code).toBe(0);
    expect(events().map(({ event }) => event)).toEqual(["run", "survey", "summary"]);
  });
});
