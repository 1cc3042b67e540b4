import { join } from "node:path";
import type { DeclaredField } from "../../fields/field-options.ts";
import { INPUT_COPY, type StoredRun } from "../../journal/run-store.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { readValues } from "../../options/read-values.ts";
import type { OptionValues } from "../../options/table.ts";
import type { RunRequest } from "../../run/run-inputs.ts";
import type { ShardPlan } from "../../shards/shard-plan.ts";
import { columnsIn } from "../config/apply-config.ts";
import { checkNamesOfPairs } from "../kept-names.ts";
import { readRunRequest } from "../run-settings.ts";

/** How the input of a run is read again: the options of the run, overridden by those of the command. */
export interface ResumeRequest {
  readonly merged: OptionTexts;
  readonly values: OptionValues;
  readonly request: RunRequest;
}

/**
 * The request that reads the files of a plan, at these paths, as they were read for it. With `needsPairs`, throws a usage error
 * if secret values are not given again.
 */
export function planRequest(
  plan: ShardPlan,
  paths: readonly string[],
  texts: OptionTexts,
  needsPairs = true,
): ResumeRequest {
  const merged: OptionTexts = { ...plan.options, ...texts };
  if (needsPairs) checkNamesOfPairs({ ...plan, run: plan.plan }, merged);
  const declared = new Map(Object.entries(plan.declared)) as ReadonlyMap<string, DeclaredField>;
  const values = readValues(merged);
  const request = {
    ...readRunRequest(
      paths,
      { values, declared, configured: new Set(), configColumns: new Set(columnsIn(values)) },
      new Date(plan.startedAt),
    ),
    // These were judged when the plan was made.
    isPinned: false,
    expected: undefined,
    maxInvalid: undefined,
    nameOf: (path: string) => plan.inputs[paths.indexOf(path)]?.file,
  };
  return { merged, values, request };
}

/** The path of a run's input: the file, or the copy of standard input. */
export function inputOf({ facts, directory }: Pick<StoredRun, "facts" | "directory">): string {
  return facts.path ?? join(directory, INPUT_COPY);
}

/**
 * The request that reads the input of a run as it was read before. With `needsPairs`, throws a usage error if secret
 * values are not given again.
 */
export function resumeRequest(stored: StoredRun, texts: OptionTexts, needsPairs: boolean): ResumeRequest {
  const { facts } = stored;
  const merged: OptionTexts = { ...facts.options, ...texts };
  if (needsPairs) checkNamesOfPairs(facts, merged);
  const declared = new Map(Object.entries(facts.declared)) as ReadonlyMap<string, DeclaredField>;
  const values = readValues(merged);
  const request = {
    // Judged by the day on which it began: on a later day, a year that was open then might count as certain.
    ...readRunRequest(
      [inputOf(stored)],
      // Missing columns were reported when the run began.
      { values, declared, configured: new Set(), configColumns: new Set(columnsIn(values)) },
      new Date(facts.startedAt),
    ),
    isPinned: false,
    nameOf: () => (facts.file === "-" ? "<stdin>" : facts.file),
  };
  return { merged, values, request };
}
