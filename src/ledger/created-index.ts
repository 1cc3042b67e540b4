import { stat } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../state/atomic-file.ts";
import type { RunAccount } from "../journal/run-account.ts";
import type { PlanTexts } from "../journal/record-plan.ts";
import type { RunFacts, RunIdentity } from "../journal/run-facts.ts";
import { nameTable } from "../state/open-marks.ts";
import { cannotUse, type StateDirectory } from "../state/state-directory.ts";
import { appendWord, readWords, spellWord } from "../state/word-file.ts";

/** The creates of one push, for pushes of other contents with the same columns. */
export interface CreatedPush extends Pick<RunIdentity, "content" | "runKey" | "queries"> {
  readonly run: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** As named then. */
  readonly file: string;
  /** The fields of its columns. */
  readonly columns: readonly string[];
  /** Creates that the service took or may have taken. */
  readonly creates: number;
}

/** Above this size a file is written anew, with the latest pushes only. */
const MOST_BYTES = 65_536;
const KEPT_A_SHAPE = 20;

/** Notes the creates of a run once it ends; notes nothing if it made none. */
export async function noteCreated(
  state: StateDirectory,
  facts: RunFacts,
  account: RunAccount,
): Promise<void> {
  const push = describeCreated(facts, account);
  if (push === undefined) return;
  const path = join(state.created, nameTable(facts.identity.url));
  await appendWord(path, push);
  if ((await stat(path)).size > MOST_BYTES) await compact(path);
}

/** The creates of a run so far; `undefined` if there are none. */
export function describeCreated(
  { run, startedAt, file, plan, identity }: RunFacts,
  account: RunAccount,
): CreatedPush | undefined {
  if (!account.hasCreates) return undefined;
  const { content, runKey, queries } = identity;
  const creates = account.countOf("create", "accepted") + account.countOf("create", "inDoubt");
  return {
    run,
    startedAt,
    file,
    columns: fieldsOf(plan),
    creates,
    content,
    runKey,
    ...(queries === undefined ? {} : { queries }),
  };
}

/** The pushes that created records in a table, in the order of their beginning; the last word on each. */
export async function readCreated({ created }: StateDirectory, url: string): Promise<readonly CreatedPush[]> {
  return lastWords(await readWords<CreatedPush>(join(created, nameTable(url))));
}

/** The fields of a plan's columns, sorted. */
export function fieldsOf(plan: PlanTexts): readonly string[] {
  return Object.entries(plan)
    .filter(([name]) => name.startsWith("column "))
    .flatMap(([, text]) => /^.* as (\w+), \w+/.exec(text)?.[1] ?? [])
    .sort();
}

function lastWords(words: readonly CreatedPush[]): CreatedPush[] {
  return [...new Map(words.map((push) => [push.run, push])).values()].sort((a, b) =>
    a.startedAt < b.startedAt ? -1 : 1,
  );
}

async function compact(path: string): Promise<void> {
  const kept = new Map<string, number>();
  const words = lastWords(await readWords<CreatedPush>(path))
    .reverse()
    .filter(({ columns }) => {
      const shape = columns.join(" ");
      kept.set(shape, (kept.get(shape) ?? 0) + 1);
      return kept.get(shape)! <= KEPT_A_SHAPE;
    })
    .reverse();
  try {
    await replaceFile(path, words.map(spellWord).join(""));
  } catch (cause) {
    throw cannotUse(path, cause);
  }
}
