import { access } from "node:fs/promises";
import { findRun } from "../journal/find-runs.ts";
import { OpenRun } from "../journal/open-run.ts";
import type { RunFacts } from "../journal/run-facts.ts";
import { stateOf, type StoredRun } from "../journal/run-store.ts";
import { EXIT } from "../model/exit-code.ts";
import { targetOf } from "../ledger/ledger-directory.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { printRecord, readLeftRecords, recordsOf } from "./left-records.ts";
import type { PushRequest } from "./push-request.ts";
import type { RunKeeping } from "./start-run.ts";

/** A run that another one took over, and why it would not go on. */
export interface TakenOver {
  readonly name: string;
  readonly why: string;
}

/**
 * Closes open runs whose file is gone, or whose database version the service refused, if their creates and the updates
 * they left to be sent are all among the records of a run that has just finished, as the same bytes and at least as
 * often. What they left in doubt stays.
 */
export async function takeOver(
  by: OpenRun,
  input: SurveyedInput,
  openRuns: Iterable<string>,
  { keeping, read }: PushRequest & { readonly keeping: RunKeeping },
): Promise<readonly TakenOver[]> {
  const { account } = by;
  const { facts } = account;
  const isWhole =
    stateOf(account) === "finished" &&
    account.ending?.counts.notSent === 0 &&
    account.count("refused") + account.count("failed") + account.count("absent") === 0;
  if (facts === undefined || !isWhole) return [];
  const taken: TakenOver[] = [];
  for (const name of openRuns) {
    if (name === by.name) continue;
    const stored = await findRun(keeping.state, name).catch(() => undefined);
    const why = stored && (await whyTakenOver(stored, facts));
    if (stored === undefined || why === undefined) continue;
    const left = await readLeftRecords(stored.directory, stored.account);
    if (left === undefined || !(await holdsAll(left, input, read))) continue;
    const run = await OpenRun.resume(keeping, stored);
    try {
      await run.abandon(by.name);
    } finally {
      await run.close();
    }
    taken.push({ name, why });
  }
  return taken;
}

/**
 * Why an older run to the same target that has rows to send would not go on: its file has changed or no longer exists, or
 * the service refuses its database version, which another one replaced. `undefined` if it may go on.
 */
async function whyTakenOver({ account, facts }: StoredRun, by: RunFacts): Promise<string | undefined> {
  const target = (of: RunFacts): string => JSON.stringify([targetOf(of.identity), of.again === true]);
  if (stateOf(account) !== "unfinished" || target(facts) !== target(by)) return undefined;
  if (facts.identity.dbVersion !== by.identity.dbVersion)
    return account.ending?.exitCode === EXIT.request
      ? "the service refused it, which had another database version"
      : undefined;
  if (facts.path === undefined || facts.identity.content === by.identity.content) return undefined;
  if (facts.path === by.path) return GONE;
  return access(facts.path).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? GONE : undefined),
  );
}

const GONE = "its file is gone";

async function holdsAll(
  left: Map<string, number>,
  input: SurveyedInput,
  read: PushRequest["read"],
): Promise<boolean> {
  for await (const records of recordsOf(input, read)) {
    for (const record of records) {
      const print = printRecord(record).toString("hex");
      const count = left.get(print);
      if (count === undefined) continue;
      if (count === 1) left.delete(print);
      else left.set(print, count - 1);
    }
    if (left.size === 0) return true;
  }
  return left.size === 0;
}
