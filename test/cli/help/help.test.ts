import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../../src/cli/config/config-schema.ts";
import { cutTopics } from "../../../src/cli/help/cut-topics.ts";
import { renderTopic } from "../../../src/cli/help/render-topic.ts";
import { TOPICS } from "../../../src/cli/help/topics.ts";
import { COMMAND_WORDS } from "../../../src/cli/program.ts";
import { flagOf, TABLE, useIn } from "../../../src/options/table.ts";
import { textWidth } from "../../../src/report/text-width.ts";
import { runMain } from "../../support/run-main.ts";
import { makeDirectory, makeFile } from "../../support/temp-files.ts";

const README = await readFile("README.md", "utf8");
const words = (text: string): string => text.replaceAll(/[`*_|\\]/g, "").replaceAll(/\s+/g, " ");

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

  it("is what a line without words prints, as an error: a list of files that came out empty is no success", async () => {
    const { code, stdout, stderr } = await runMain([]);
    expect([code, stdout, stderr]).toEqual([2, "", (await runMain(["help"])).stdout]);
  });
});

describe("help on a command", () => {
  it.each(COMMAND_WORDS.map(([name]) => name))("shows all options of %s, as %s --help does", async (name) => {
    const { stdout } = await runMain(["help", name]);
    const own = await runMain([name, "--help"]);
    expect(stdout.startsWith(own.stdout)).toBe(true);
    const flags = TABLE.filter(
      ({ declaration }) => useIn(name, declaration) !== undefined && declaration.form.kind !== "unwritten",
    ).map((entry) => flagOf(entry.name, entry.declaration));
    expect(flags.filter((flag) => !stdout.includes(flag))).toEqual([]);
  });

  it("on schema prints the JSON Schema of configs", async () => {
    const { stdout, code } = await runMain(["help", "schema"]);
    expect([code, JSON.parse(stdout)]).toEqual([0, JSON.parse(JSON.stringify(configSchema()))]);
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
  it.each(Object.entries(cutTopics(README)))("%s is README's section", async (topic, markdown) => {
    const body = markdown.split("\n").filter((line) => !line.startsWith("#"));
    for (const line of body) expect(README).toContain(line);
    const { stdout } = await runMain(["help", topic]);
    expect(stdout).not.toMatch(/\*\*|`/);
    const shown = words(stdout);
    // Every paragraph is there, word for word.
    for (const paragraph of markdown.split(/\n\n/).filter((part) => /^(?!```)[A-Z`]/.test(part)))
      expect(shown).toContain(words(paragraph).trim());
  });

  it.each([40, 80, 120])("is never wider than %i columns, code aside", (columns) => {
    for (const markdown of Object.values(cutTopics(README))) {
      const lines = renderTopic(markdown.replaceAll(/```[\s\S]*?```/g, ""), columns).split("\n");
      const wide = lines.filter((line) => textWidth(line) > columns && /\S \S/.test(line.trim()));
      expect(wide).toEqual([]);
    }
  });

  it("shows headings, lists, code and tables as text", () => {
    const markdown =
      "# Head\n\nSome `code` and **strong** words.\n\n- one\n  more\n- two\n\n```sh\nrun this\n```\n\n| a | b | c |\n| - | - | - |\n| `x` | y | z |\n";
    expect(renderTopic(markdown, 60)).toBe(
      "Head\n\nSome code and strong words.\n\n  - one more\n  - two\n\n    run this\n\n  x  y\n     c: z\n",
    );
  });

  it("cannot disappear from README unnoticed", () => {
    expect(() => cutTopics(README.replace("\n### Dates\n", "\n### Days\n"))).toThrow(
      'no section "### Dates"',
    );
  });
});
