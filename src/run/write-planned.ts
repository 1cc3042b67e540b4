import { fstatSync } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Source } from "../read/source/source.ts";
import type { DealtInput, DealtSlice } from "../shards/deal-rows.ts";
import { writeSettled } from "../shards/settled-input.ts";
import {
  type PlannedFile,
  type PlannedPart,
  placesOf,
  runNameOf,
  type ShardPlan,
  sumOf,
} from "../shards/shard-plan.ts";
import { replaceFile } from "../state/atomic-file.ts";
import type { PlanHold } from "../state/plan-hold.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { HeldInput } from "./close-plan.ts";
import type { PlanRequest } from "./plan-request.ts";

export async function writeInput(
  input: SurveyedInput,
  request: PlanRequest,
  at: number,
  {
    slices,
    isAlone,
    bytes,
    mtimeMs,
    dealtBy,
    profile,
  }: DealtInput & Pick<PlannedFile, "bytes" | "mtimeMs" | "profile"> & Pick<ShardPlan, "dealtBy">,
): Promise<PlannedFile> {
  const path = pathOf(request, at);
  const places = placesOf(request.out);
  const parts: PlannedPart[] = [];
  for (const [shard, slice] of slices.entries()) {
    const hasLeftOut = slice.leftOut.length > 0;
    if (hasLeftOut)
      await replaceFile(places.leftOut(at, shard + 1), (file) => file.write(Buffer.from(slice.leftOut)));
    parts.push({ ...partOf(slice, dealtBy), ...(hasLeftOut ? { leftOut: sumOf(slice.leftOut) } : {}) });
  }
  const { fingerprint: content } = input.report.reading;
  const survey = await writeSettled(places.survey(at), input);
  return { file: input.source.name, path, bytes, mtimeMs, content, survey, isAlone, profile, parts };
}

export function pathOf({ files, keeping }: PlanRequest, at: number): string {
  return resolve(keeping.cwd, files[at]!);
}

/** Size and time of an input; no time if its path now leads to another file. */
export async function statFile(
  { fd }: Source,
  path: string,
): Promise<Pick<PlannedFile, "bytes" | "mtimeMs">> {
  const facts = await stat(path);
  const isSame = fd !== undefined && fstatSync(fd).ino === facts.ino;
  return { bytes: facts.size, mtimeMs: isSame ? facts.mtimeMs : -1 };
}

function partOf(slice: DealtSlice, dealtBy: ShardPlan["dealtBy"]): PlannedPart {
  const { from, to, line, rows, creates, invalid, invalidBytes, skipped } = slice;
  const updates = dealtBy === "keys" ? slice.updatesByKey : slice.updates;
  return {
    from,
    to,
    line,
    rows: rows - slice.updates + updates,
    updates,
    creates,
    invalid,
    invalidBytes,
    skipped,
  };
}

/** The part of a plan that the user's state keeps: enough to know what may have been created if its directory is lost. */
export function holdOf(plan: ShardPlan, directory: string): PlanHold {
  const { target, table, inputs, startedAt } = plan;
  const held = inputs.map(({ file, content, parts }, at): HeldInput => {
    const hasCreates = parts.some(({ creates }) => creates > 0);
    return {
      run: runNameOf(plan.plan, 0, at),
      startedAt,
      file,
      hasCreates,
      identity: { content, ...target },
    };
  });
  return { plan: plan.plan, url: target.url, table, directory, inputs: held };
}
