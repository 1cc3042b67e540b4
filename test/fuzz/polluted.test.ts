import { describe, expect, it } from "vitest";
import { atNight } from "../support/draws.ts";
import { recordJson } from "../../src/model/settlement.ts";
import { sourceOf } from "../read/chunks.ts";
import { DEFAULT_FIELD_OPTIONS } from "../support/field-options.ts";
import { prepareWhole } from "../support/prepare-whole.ts";
import { CLEAN_ROWS, pollute, type PollutedFile } from "./pollute.ts";

/**
 * Well-formed files with other content: a code page that was not named, signs around texts that are quotes only under `--quote`.
 */
const OTHER_CONTENT = /^quote ['|]|^macroman/;

/** Pushes files with `--other-columns send --on-invalid skip`, and compares every record with the clean ones. */
async function score(files: Iterable<PollutedFile>) {
  const clean = new Set(CLEAN_ROWS.map(({ json }) => json));
  const wrong: { readonly name: string; readonly json: string }[] = [];
  let [readable, exact] = [0, 0];
  for (const { name, content, cleanRows, changed } of files) {
    const outcome = await prepareWhole(sourceOf(content), { ...DEFAULT_FIELD_OPTIONS, otherColumns: "send" });
    if (outcome.kind === "refused") continue;
    const found = new Set<string>();
    for (const json of outcome.records.map(recordJson)) {
      if (clean.has(json) && !found.has(json)) found.add(json);
      else if (json !== changed) wrong.push({ name, json });
    }
    readable += cleanRows;
    exact += Math.min(found.size, cleanRows);
  }
  return { wrong, share: exact / readable };
}

describe("a file polluted in one way", () => {
  it("gives no wrong row and, unless it is refused, nearly all clean rows, with no option but --on-invalid skip", async () => {
    const files = [...pollute(9)].filter(({ name }) => !OTHER_CONTENT.test(name));
    expect(files.length).toBeGreaterThan(500);
    const { wrong, share } = await score(files.filter((_, at) => atNight || at % 10 === 0));
    expect(wrong).toEqual([]);
    expect(share).toBeGreaterThanOrEqual(0.97);
  });
});
