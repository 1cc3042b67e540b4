import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { TOPICS } from "../../../src/cli/help/front-page.ts";
import { COMMAND_WORDS } from "../../../src/cli/program.ts";
import { EXIT, SIGNAL_EXIT } from "../../../src/model/exit-code.ts";
import { flagOf, TABLE, useIn } from "../../../src/options/table.ts";
import { runMain } from "../../support/run-main.ts";
import { makeDirectory, makeFile } from "../../support/temp-files.ts";

describe("the first screen", () => {
  it("fits into 24 lines of 80 columns with the prompt below it, and names every command and topic", async () => {
    const { stdout, code } = await runMain(["help"]);
    const lines = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(lines.length).toBeLessThanOrEqual(23);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    for (const [command] of COMMAND_WORDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
    for (const topic of Object.keys(TOPICS)) expect(stdout).toContain(topic);
  });

  it("is what a line without words prints", async () => {
    const { code, stdout, stderr } = await runMain([]);
    expect([code, stdout, stderr]).toEqual([0, (await runMain(["help"])).stdout, ""]);
  });
});

describe("help on a command", () => {
  it.each(COMMAND_WORDS.map(([name]) => name))("shows all options of %s, as %s --help does", async (name) => {
    const own = await runMain([name, "--help"]);
    expect((await runMain(["help", name])).stdout.startsWith(own.stdout)).toBe(true);
    // Of a push, only the options that people use are shown at first.
    const { stdout } = await runMain(["help", name, ...(name === "push" ? ["--all"] : [])]);
    const flags = TABLE.filter(({ declaration }) => useIn(name, declaration) !== undefined).map((entry) =>
      flagOf(entry.name, entry.declaration),
    );
    expect(flags.filter((flag) => !stdout.includes(flag))).toEqual([]);
  });

  it("refuses other words, naming the nearest known one", async () => {
    const { code, stderr } = await runMain(["help", "encoding"]);
    expect(code).toBe(2);
    expect(stderr).toContain("did you mean rec-push help encodings?");
  });

  it("leaves a file of that name alone", async () => {
    const cwd = await makeDirectory();
    const file = await makeFile("help", "cle,num_commande\nA1,1\n");
    const { stdout } = await runMain(["check", file], { cwd });
    expect(stdout).toContain("1 row");
  });
});

describe("a topic", () => {
  it.each(Object.keys(TOPICS))("%s is its file, without the marks of headings and code", async (topic) => {
    const markdown = await readFile(`src/help/${topic}.md`, "utf8");
    const { stdout, code } = await runMain(["help", topic]);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/^(#+ |```)/m);
    const shown = new Set(stdout.split("\n").map((line) => line.trim()));
    const lines = markdown.split("\n").filter((line) => !/^(#+ |```)/.test(line));
    expect(lines.filter((line) => !shown.has(line.trim()))).toEqual([]);
  });

  it.each([...Object.values(EXIT), ...Object.values(SIGNAL_EXIT)])("explains exit code %i", async (exit) => {
    const { stdout } = await runMain(["help", "exit-codes"]);
    const explained = [...stdout.matchAll(/^- ([\d, ]+): /gm)].flatMap(([, codes]) => codes!.split(", "));
    expect(explained).toContain(String(exit));
  });
});
