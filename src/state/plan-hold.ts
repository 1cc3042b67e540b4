import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/shell-word.ts";
import { nameTable } from "./open-marks.ts";
import type { StateDirectory } from "./state-directory.ts";
import { appendWord, readIntactWords, readWords } from "./word-file.ts";

/** A plan that holds a table until its shards are settled. */
export interface PlanHold {
  readonly plan: string;
  readonly url: string;
  readonly table: string;
  /** Absolute. */
  readonly directory: string;
  /** The facts about its inputs that are needed if the plan's directory is lost. */
  readonly inputs: readonly object[];
}

/** The end of a hold. */
interface Release {
  readonly plan: string;
  readonly isReleased: true;
}

/** Notes that a plan holds a table; on disk when this resolves. The caller has the table's lock. */
export async function noteHold({ plans }: StateDirectory, hold: PlanHold): Promise<void> {
  await appendWord(join(plans, nameTable(hold.url)), hold);
}

/** Ends a hold; the caller has the table's lock. */
export async function releaseHold(state: StateDirectory, { plan, url }: PlanHold): Promise<void> {
  if ((await findHold(state, url))?.plan !== plan) return;
  const word: Release = { plan, isReleased: true };
  await appendWord(join(state.plans, nameTable(url)), word);
}

/** The plan that holds a table. Throws a machine error if that cannot be known. */
export async function findHold({ plans }: StateDirectory, url: string): Promise<PlanHold | undefined> {
  const words = await readWords<PlanHold | Release>(join(plans, nameTable(url)));
  const last = words.at(-1);
  return last === undefined || "isReleased" in last ? undefined : last;
}

/** The error for a command that finds its table held. */
export function heldByPlan(table: string, { plan, directory }: PlanHold): RecPushError {
  const word = quoteWord(directory);
  return new RecPushError(
    "locked",
    "table-held",
    `the plan ${plan} in ${directory} holds the table ${table} until all of its shards are settled; nothing was sent`,
    {
      hint: `rec-push runs --plan ${word} says what is left, and frees the table once nothing is\nor give the plan up: rec-push runs --plan ${word} --abandon-plan`,
    },
  );
}

/** The plans that hold a table, of all tables. */
export async function listHolds({ plans }: StateDirectory): Promise<readonly PlanHold[]> {
  const names: readonly string[] = await readdir(plans).catch(() => []);
  const found: PlanHold[] = [];
  for (const name of names) {
    const last = (await readIntactWords<PlanHold | Release>(join(plans, name))).at(-1);
    if (last !== undefined && !("isReleased" in last)) found.push(last);
  }
  return found;
}
