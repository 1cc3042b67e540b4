import type { Counts } from "../model/event.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { RunSummary } from "../model/run-summary.ts";
import { countRun } from "./count-run.ts";
import { isRunning } from "../state/process-identity.ts";
import { runningProcess } from "./running-process.ts";
import { stateOf, type StoredRun } from "./run-store.ts";
import type { RunAccount } from "./run-account.ts";
import type { RunFacts } from "./run-facts.ts";

/** Summarises the state of a stored run. */
export function summariseRun({
  run,
  facts,
  account,
}: Pick<StoredRun, "run" | "facts" | "account">): RunSummary {
  const { table, identity, file, startedAt, totals } = facts;
  const { ending } = account;
  const running = runningProcess(account);
  const { read } = totals;
  const { rejected, skipped } = rowsLeftOut(facts, account);
  return {
    run,
    state: stateOf(account),
    table,
    url: identity.url,
    file,
    startedAt,
    endedAt: account.endedAt,
    read,
    counts: countRun(account, { read, rejected, skipped }),
    assumedApplied: account.assumedApplied,
    exitCode: ending?.exitCode,
    reason: ending?.reason ?? describeLoss(account.process),
    code: ending?.code,
    running: running && { pid: running.pid, host: running.host },
    doubt: account.doubt,
    doubts: account.doubts,
    ...(account.takenOverBy === undefined ? {} : { takenOverBy: account.takenOverBy }),
  };
}

/** The rows of a run that do not become records to send. */
export function rowsLeftOut(
  { totals }: RunFacts,
  { leftOut }: RunAccount,
): Pick<Counts, "rejected" | "skipped"> {
  return { rejected: totals.rejected, skipped: totals.skipped + leftOut };
}

/** The rows of a run that were rejected or refused, so that somebody has to mend them. */
export function countToMend({ facts, account }: Pick<StoredRun, "facts" | "account">): number {
  return rowsLeftOut(facts, account).rejected + account.count("refused");
}

function describeLoss(process: ProcessIdentity | undefined): string {
  if (process === undefined || isRunning(process) !== "unknown") return "its process ended unexpectedly";
  return `its process ended unexpectedly, or still runs elsewhere (pid ${process.pid} on ${process.host})`;
}
