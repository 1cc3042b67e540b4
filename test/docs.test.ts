import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TOPICS } from "../src/cli/help.ts";
import { flagsOf, TABLE } from "../src/options/table.ts";

const TOPIC_FILES = readdirSync("src/help").map((file) => `src/help/${file}`);
const DOCS = ["README.md", "CHANGELOG.md", ...TOPIC_FILES];
const read = (file: string): string => readFileSync(file, "utf8");
const linesOf = (file: string): readonly string[] => read(file).trimEnd().split("\n");

describe("the documentation", () => {
  it.each([
    ["README.md", 220],
    ["CHANGELOG.md", 60],
    ...TOPIC_FILES.map((file): [string, number] => [file, 90]),
  ])("%s has at most %i lines", (file, most) => expect(linesOf(file).length).toBeLessThanOrEqual(most));

  it("has at most 1,100 lines of topics", () =>
    expect(TOPIC_FILES.flatMap(linesOf).length).toBeLessThanOrEqual(1100));

  it("has a file for each topic, and README a link to it", () => {
    expect(TOPIC_FILES.toSorted()).toEqual(TOPICS.map((topic) => `src/help/${topic}.md`).toSorted());
    for (const file of TOPIC_FILES) expect(read("README.md")).toContain(`](${file})`);
  });

  it.each(DOCS)("%s links to files that are there", (file) => {
    const links = [...read(file).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, path]) => path!);
    expect(links.filter((path) => !existsSync(path))).toEqual([]);
  });

  it.each(TOPIC_FILES)("%s fits into 100 columns", (file) =>
    expect(linesOf(file).filter((line) => line.length > 100)).toEqual([]),
  );

  it.each(TOPIC_FILES)("%s refers to topics that there are", (file) => {
    const named = [...read(file).matchAll(/\(see ([^)]+)\)/g)].flatMap(([, names]) => names!.split(", "));
    expect(named.filter((name) => !TOPICS.includes(name.trim().replaceAll("`", "")))).toEqual([]);
  });

  it.each(DOCS)("%s names options that there are", (file) => {
    const flags = new Set([...TABLE.flatMap(flagsOf), ...OTHER_FLAGS]);
    const named = [...read(file).matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
    expect([...new Set(named)].filter((flag) => !flags.has(flag))).toEqual([]);
  });
});

/** Those of every command, and of programs that the recipes use. */
const OTHER_FLAGS =
  "--help --version --all --global --array --requeue --open-mode --retries --max-time --retry --now --experimental-sea-config --rows".split(
    " ",
  );
