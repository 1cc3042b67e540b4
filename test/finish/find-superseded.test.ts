import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_FIELD_OPTIONS } from "../../src/fields/field-options.ts";
import { openSource } from "../../src/read/source/open-source.ts";
import { OutcomeLog } from "../../src/finish/outcome-log.ts";
import { findSuperseded } from "../../src/finish/find-superseded.ts";
import { surveyInput, type SurveyedInput } from "../../src/survey/survey-input.ts";
import { makeDirectory } from "../support/temp-files.ts";

const FATES = ["accepted", "refused", "failed", "not sent", "rejected"] as const;

interface Row {
  readonly key: string;
  readonly fate: (typeof FATES)[number];
}

const row: fc.Arbitrary<Row> = fc.record({
  key: fc.constantFrom("A", "B", "C", "D", "E", ""),
  fate: fc.constantFrom(...FATES),
});

async function survey(directory: string, name: string, rows: readonly Row[]): Promise<SurveyedInput> {
  const path = join(directory, name);
  const lines = rows.map(({ key, fate }) => `${key},${fate === "rejected" ? "x" : "1"}\n`);
  await writeFile(path, `cle,num_commande\n${lines.join("")}`);
  const source = await openSource(path, { stdin: Readable.from([]), spoolDirectory: directory });
  const { signal } = new AbortController();
  return surveyInput(source, {}, DEFAULT_FIELD_OPTIONS, signal, () => undefined);
}

function note(log: OutcomeLog, input: number, rows: readonly Row[]): void {
  const next = { update: 0, create: 0 };
  for (const { key, fate } of rows) {
    if (fate === "rejected") continue;
    const kind = key === "" ? "create" : "update";
    const ordinal = next[kind]++;
    if (fate === "not sent") continue;
    const told = { batch: 1, outcome: fate, status: 200, msg: "", attempts: 1 } as const;
    // What was told of a record before does not count.
    log.add(input, { ...told, kind, ordinals: [[ordinal, ordinal]], outcome: "failed" });
    log.add(input, { ...told, kind, ordinals: [[ordinal, ordinal]] });
  }
}

/** Rows of all files in order: the rejects, and whether the same key was accepted later. */
function expected(files: readonly (readonly Row[])[]): boolean[][] {
  const all = files.flat();
  let before = 0;
  return files.map((rows) => {
    const found = rows.flatMap(({ key, fate }, at) => {
      if (fate !== "rejected" && fate !== "refused") return [];
      const later = all.slice(before + at + 1);
      return [key !== "" && later.some((other) => other.key === key && other.fate === "accepted")];
    });
    before += rows.length;
    return found;
  });
}

describe("findSuperseded", () => {
  it.each([1, 2, 1_000])(
    "finds exactly the rejects with a later accepted row, %i keys at once",
    async (mostKeys) => {
      const directory = await makeDirectory();
      const rows = fc.array(row, { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(rows, rows, fc.constantFrom(1, 2, 100), async (first, second, blockRecords) => {
          const inputs = [await survey(directory, "a.csv", first), await survey(directory, "b.csv", second)];
          const log = new OutcomeLog(directory, blockRecords);
          [first, second].forEach((file, at) => note(log, at, file));
          const request = { read: {}, fields: DEFAULT_FIELD_OPTIONS, onInvalid: "skip" } as const;
          const { signal: abort } = new AbortController();
          const counts = expected([first, second]).map((marks) => marks.length);
          const found = await findSuperseded(
            { inputs, request, log, accounts: new Map(), leftOut: new Set(), abort },
            counts,
            [0, 1],
            mostKeys,
          );
          const marks = found.map(({ rejects, before, marks }) =>
            Array.from({ length: rejects }, (_, at) => marks.has(before + at)),
          );
          expect(marks).toEqual(expected([first, second]));
          expect(found.map(({ superseded }) => superseded)).toEqual(
            marks.map((file) => file.filter(Boolean).length),
          );
          await log.remove();
          for (const { source } of inputs) await source.close();
        }),
        { numRuns: 40 },
      );
    },
  );
});
