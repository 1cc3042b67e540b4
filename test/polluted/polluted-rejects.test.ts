import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { runMain } from "../support/run-main.ts";
import { atNight } from "../support/draws.ts";
import { makeFile } from "../support/temp-files.ts";
import { pollute } from "./pollute.ts";

interface Dialect {
  readonly delimiter: string;
  readonly quote: string;
}

/** The texts of the rows in a rejects file, without the marker columns. */
function rowsIn(text: string, { delimiter, quote }: Dialect): string[] {
  const literal = (mark: string): string => mark.replaceAll(/[|\\.*+?^$()[\]{}]/g, "\\$&");
  const [d, q] = [literal(delimiter), literal(quote)];
  const quoted = quote === "" ? ".*?" : `${q}(?:[^${q}]|${q}${q}|\\\\${q})*${q}`;
  const start = new RegExp(
    `^[^${d}]*${d}\\d+${d}(?:[\\w ]*|${quoted})${d}${quoted}${d}(?:\\d*|${quoted})${d}`,
    "m",
  );
  return text.split(start).slice(1);
}

describe("the rejects of a polluted file", () => {
  it(
    "are pieces of the file as they were, in its order, as many as were rejected",
    { timeout: 120_000 },
    async () => {
      let withRejects = 0;
      for (const { name, content } of [...pollute(21)].filter((_, at) => at % (atNight ? 4 : 24) === 0)) {
        const file = await makeFile("a.csv", content);
        const path = join(dirname(file), "r.csv");
        const options = ["--table", "t", "--sandbox", "--on-invalid", "skip", "--json"];
        const run = await runMain([file, ...options, "--rejects", path]);
        const [found] = (run.events().at(-1)?.["rejectsFiles"] ?? []) as { path: string; rows: number }[];
        if (found === undefined) continue;
        withRejects += 1;
        const survey = run.events().find(({ event }) => event === "survey") as unknown as {
          readonly encoding: string;
          readonly dialect: Dialect;
          readonly invalid: number;
        };
        const original = iconv.decode(Buffer.from(content as string), survey.encoding);
        const rows = rowsIn(iconv.decode(await readFile(path), survey.encoding), survey.dialect);
        expect([name, rows.length]).toEqual([name, survey.invalid]);
        let from = 0;
        for (const row of rows) {
          const at = original.indexOf(row, from);
          const isLast = original.endsWith(row.replace(/[\r\n]+$/, ""));
          expect([name, row, at >= 0 || isLast]).toEqual([name, row, true]);
          from = at + 1;
        }
      }
      expect(withRejects).toBeGreaterThan(5);
    },
  );
});
