import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { COMMAND_WORDS } from "../../src/cli/command-line.ts";
import { TOPICS } from "../../src/cli/help.ts";
import { EXIT, SIGNAL_EXIT } from "../../src/model/exit-code.ts";
import { flagOf, TABLE, useIn } from "../../src/options/table.ts";
import { runMain } from "../support/run-main.ts";
import { makeDirectory } from "../support/temp-files.ts";

describe("the first screen", () => {
  it("fits into 24 lines of 80 columns with the prompt below it, and names every command and topic", async () => {
    const { stdout, code } = await runMain(["help"]);
    const lines = stdout.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(lines.length).toBeLessThanOrEqual(23);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    for (const [command] of COMMAND_WORDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
    for (const topic of TOPICS) expect(stdout).toContain(topic);
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

  it("refuses other words", async () => {
    const { code, stderr } = await runMain(["help", "encoding"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("rec-push help lists commands and topics")]);
  });
});

describe("a topic", () => {
  it.each(TOPICS)("%s is its file, without the marks of headings and code", async (topic) => {
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

const say = async (...argv: string[]) => {
  const { code, stderr } = await runMain(argv, { cwd: await makeDirectory(), others: "nothing" });
  expect(code).toBe(2);
  return stderr;
};

describe("a first word that is neither a file nor a command", () => {
  it.each([[["chek", "a.csv"]], [["--json", "snadbox"]], [["-t", "check", "pus"]], [["frobnicate"]]])(
    "is reported: %j",
    async (argv) => {
      const word = argv.includes("-t") ? argv[2]! : argv.find((each) => !each.startsWith("-"))!;
      const text = `${word} is neither a file nor a command`;
      const { code, stdout, stderr } = await runMain(argv, { cwd: await makeDirectory(), others: "nothing" });
      expect([code, stdout + stderr]).toEqual([2, expect.stringContaining(text)]);
    },
  );

  it.each([[["./chek"]], [["chek.csv"]], [["--", "chek"]]])("%j is a file", async (argv) => {
    const { stderr } = await runMain(["--table", "t", "--sandbox", ...argv], { cwd: await makeDirectory() });
    expect(stderr).not.toContain("nor a command");
  });
});

describe("an option that people try first", () => {
  it.each([
    ["--token=abcdefgh", "REC_PUSH_TOKEN", "--token-file"],
    ["--password=abcdefgh", "REC_PUSH_TOKEN", "--token-file"],
    ["--client-secret=abcdefgh", "REC_PUSH_CLIENT_SECRET", "clientSecretFile"],
    ["--dry-run", "rec-push check FILE"],
  ])("%s names what there is instead", async (flag, ...ours) => {
    const said = await say("a.csv", "-t", "t", flag);
    for (const word of ours) expect(said).toContain(word);
    expect(said).not.toContain("abcdefgh");
    expect(said).not.toContain("Did you mean");
  });
});
