import { access } from "node:fs/promises";
import { findRun } from "../journal/find-runs.ts";
import { OpenRun } from "../journal/open-run.ts";
import type { RunFacts } from "../journal/run-facts.ts";
import { stateOf, type StoredRun } from "../journal/run-store.ts";
import { targetOf } from "../ledger/ledger-directory.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { printRecord, readLeftRecords, recordsOf } from "./left-records.ts";
import type { PushRequest } from "./push-request.ts";
import type { RunKeeping } from "./start-run.ts";

/**
 * Closes open runs whose file is gone, if their creates and the updates they left to be sent are all among the records
 * of a run that has just finished, as the same bytes and at least as often. What they left in doubt stays. Returns
 * their names.
 */
export async function takeOver(
  by: OpenRun,
  input: SurveyedInput,
  openRuns: Iterable<string>,
  { keeping, read }: PushRequest & { readonly keeping: RunKeeping },
): Promise<readonly string[]> {
  const { account } = by;
  const { facts } = account;
  const isWhole =
    stateOf(account) === "finished" &&
    account.ending?.counts.notSent === 0 &&
    account.count("refused") + account.count("failed") + account.count("absent") === 0;
  if (facts === undefined || !isWhole) return [];
  const taken: string[] = [];
  for (const name of openRuns) {
    if (name === by.name) continue;
    const stored = await findRun(keeping.state, name).catch(() => undefined);
    if (stored === undefined || !(await mayBeTakenOver(stored, facts))) continue;
    const left = await readLeftRecords(stored.directory, stored.account);
    if (left === undefined || !(await holdsAll(left, input, read))) continue;
    const run = await OpenRun.resume(keeping, stored);
    try {
      await run.abandon(by.name);
    } finally {
      await run.close();
    }
    taken.push(name);
  }
  return taken;
}

/** True for an older run to the same target that has rows to send, and whose file has changed or no longer exists. */
async function mayBeTakenOver({ account, facts }: StoredRun, by: RunFacts): Promise<boolean> {
  const target = (of: RunFacts): string =>
    JSON.stringify([targetOf(of.identity), of.identity.dbVersion, of.again === true]);
  if (stateOf(account) !== "unfinished" || target(facts) !== target(by)) return false;
  if (facts.path === undefined || facts.identity.content === by.identity.content) return false;
  if (facts.path === by.path) return true;
  return access(facts.path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}

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
