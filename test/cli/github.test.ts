import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { formatAnnotation } from "../../src/report/github-reporter.ts";
import { openWorld } from "../support/open-world.ts";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

async function checkInJob(content: string, argv: readonly string[] = [], env: Record<string, string> = {}) {
  const file = await makeFile("orders.csv", content);
  const workspace = dirname(file);
  const job = { GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: workspace, ...env };
  const result = await runMain(["check", file, ...argv], { env: job, cwd: workspace });
  const annotations = result.stderr.split("\n").filter((line) => line.startsWith("::"));
  return { ...result, annotations };
}

const invalid = (count: number) =>
  `cle,num_commande\n${Array.from({ length: count }, (_, at) => `A${at},x${at}\n`).join("")}A,1\n`;

describe("in a job of GitHub Actions", () => {
  it("each problem is shown at its line, relative to the repository", async () => {
    const { annotations } = await checkInJob(invalid(2));
    const errors = annotations.filter((line) => line.startsWith("::error"));
    expect(errors[0]).toMatch(/^::error file=orders\.csv,line=2::column 2 "num_commande" holds "x0": /);
    expect(errors[1]).toMatch(/^::error file=orders\.csv,line=3::/);
    expect(annotations.find((line) => line.includes("2 of 3 rows are invalid"))).toMatch(/^::error::/);
    expect(annotations.find((line) => line.startsWith("::warning::"))).toContain("--delimiter comma");
  });

  it("there are at most ten of them, and the last one counts the others", async () => {
    const errors = (await checkInJob(invalid(60))).annotations.filter((line) => line.startsWith("::error"));
    expect(errors).toHaveLength(10);
    expect(errors.at(-1)).toBe("::error::and 52 more problems, which the log names");
  });

  it("standard output stays what it is, and events stay events", async () => {
    const plain = await runMain(["check", await makeFile("a.csv", invalid(1)), "--json"]);
    const { stdout, events } = await checkInJob(invalid(1), ["--json"]);
    expect(stdout).not.toContain("::error");
    expect(events().length).toBe(plain.events().length);
  });

  it("a push that went well says nothing", async () => {
    const { push } = await openWorld();
    const file = await makeFile("orders.csv", "cle,num_commande\nA1,1\n");
    const { stderr } = await push([file, "--delimiter", ","], { env: { GITHUB_ACTIONS: "true" } });
    expect(stderr).not.toContain("::");
  });
});

describe("a workflow command", () => {
  it("cannot be ended or begun by its texts", () => {
    const text = "100 %\r\n::error::x";
    expect(formatAnnotation({ level: "error", file: "a,line=1::b", line: 2, text })).toBe(
      "::error file=a%2Cline=1%3A%3Ab,line=2::100 %25%0D%0A::error::x",
    );
  });
});
