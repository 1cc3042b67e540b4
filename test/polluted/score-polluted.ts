import { DEFAULT_FIELD_OPTIONS } from "../support/field-options.ts";
import { recordJson } from "../../src/model/settlement.ts";
import { sourceOf } from "../read/chunks.ts";
import { CLEAN_ROWS } from "./clean-table.ts";
import type { PollutedFile } from "./pollute.ts";
import { prepareWhole } from "./prepare-whole.ts";

/** The score of reading polluted files. */
interface PollutedScore {
  files: number;
  refused: number;
  /** The clean rows of the files that are read; `present` counts those of all files. */
  readable: number;
  present: number;
  exact: number;
  wrong: { readonly name: string; readonly json: string }[];
  losses: { readonly name: string; readonly missing: number }[];
  refusals: { readonly name: string; readonly why: string }[];
}

/** Pushes polluted files with `--other-columns send --on-invalid skip`, and compares every record with the clean ones. */
export async function scorePolluted(files: Iterable<PollutedFile>): Promise<PollutedScore> {
  const clean = new Set(CLEAN_ROWS.map(({ json }) => json));
  const score: PollutedScore = {
    files: 0,
    refused: 0,
    readable: 0,
    present: 0,
    exact: 0,
    wrong: [],
    losses: [],
    refusals: [],
  };
  for (const { name, content, cleanRows, changed } of files) {
    score.files += 1;
    score.present += cleanRows;
    const outcome = await prepareWhole(sourceOf(content), { ...DEFAULT_FIELD_OPTIONS, otherColumns: "send" });
    if (outcome.kind === "refused") {
      score.refused += 1;
      score.refusals.push({ name, why: outcome.error.message });
      continue;
    }
    const exact = new Set<string>();
    for (const json of outcome.records.map(recordJson)) {
      if (clean.has(json) && !exact.has(json)) exact.add(json);
      else if (json !== changed) score.wrong.push({ name, json });
    }
    const kept = Math.min(exact.size, cleanRows);
    score.readable += cleanRows;
    score.exact += kept;
    if (kept < cleanRows) score.losses.push({ name, missing: cleanRows - kept });
  }
  return score;
}
