import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const MAP = readFileSync("src/README.md", "utf8");

function words(from: string, to: string): readonly string[] {
  const section = MAP.slice(MAP.indexOf(from), MAP.indexOf(to));
  return [...section.matchAll(/`(\w+)`/g)].map((match) => match[1]!);
}

describe("the map of the source", () => {
  it("names at most 45 nouns on a CSV row's way, and each is exported", async () => {
    const names = (await readdir("src", { recursive: true })).filter((name) => name.endsWith(".ts"));
    const texts = await Promise.all(names.map((name) => readFile(join("src", name), "utf8")));
    const exported = new Set(
      texts.flatMap((text) =>
        [...text.matchAll(/^export (?:class|interface|type) (\w+)/gm)].map((match) => match[1]),
      ),
    );
    const nouns = words("noun by noun", "## Rules");
    expect(nouns.length).toBeLessThanOrEqual(45);
    expect(nouns.filter((noun) => !exported.has(noun))).toEqual([]);
  });

  it("names rooms and files that exist", () => {
    const rooms = [...MAP.matchAll(/`([a-z]+\/[a-z./-]*)`/g)].map((match) => match[1]!);
    expect(rooms.length).toBeGreaterThan(15);
    expect(rooms.filter((room) => !existsSync(room) && !existsSync(join("src", room)))).toEqual([]);
  });

  it("has room for every folder of the source", async () => {
    const folders = (await readdir("src", { withFileTypes: true })).filter((entry) => entry.isDirectory());
    expect(folders.filter(({ name }) => !MAP.includes(`\`${name}/`))).toEqual([]);
  });
});
