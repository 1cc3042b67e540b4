import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { makeFile } from "../../support/temp-files.ts";
import { chooseStep } from "./choose-step.ts";

it("deletes the rows that a refusal of old values names, and types the same line again", async () => {
  const file = await makeFile("rejects.csv", "cle\nA\nB\nC\nD\n");
  const refusal =
    'later rows with the key "A" were accepted, and give some of the fields of this row (the same holds for 2 more rows (lines 4, 5)): sent now, it could bring older values back';
  const step = await chooseStep([], `error: ${file}:2: ${refusal}\n  delete such rows`, {
    directory: dirname(file),
    held: new Set(),
    sameCommand: "rec-push rejects.csv",
    reading: "",
    input: file,
    edited: new Map(),
  });
  expect(step).toEqual({ line: "rec-push rejects.csv" });
  expect(await readFile(file, "utf8")).toBe("cle\nB\n");
});
