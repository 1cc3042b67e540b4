import { resolve } from "node:path";
import { showCount, showInteger } from "../../model/counts.ts";
import { exitCode, type RunEnd } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { steadyMs } from "../../model/steady-ms.ts";
import { quoteWord, showText } from "../../model/text.ts";
import { lineWords } from "../../options/derive.ts";
import type { OptionValues } from "../../options/table.ts";
import { notPlanned, planPush, type PlanRequest } from "../../push/plan-push.ts";
import type { ShardPlan } from "../../shards/shard-plan.ts";
import { openStateDirectory } from "../../store/state-directory.ts";
import { chooseFiles } from "../../survey/own-files.ts";
import { applyConfig } from "../config/apply-config.ts";
import { factsOf } from "../kept-facts.ts";
import { readLedgerTarget } from "../ledger-target.ts";
import type { CommandLine } from "../program.ts";
import { placesBeside } from "../output-places.ts";
import { finishRun, openReporter } from "../reporting.ts";
import { type Io, listenForStop, namesOf, requestOf, stateRoot } from "../run-settings.ts";
import { say } from "../say.ts";
import { adviseInit, exportsOf, nameRun, notStarted } from "../sending.ts";
import { refuseIndivisible } from "../shards/share-limits.ts";
import { withTableLock } from "../table-locking.ts";

/** `rec-push plan FILES --shards N --out DIR`: decides everything about a push that several processes share; sends nothing. */
export async function runPlan({ files: typed, options }: CommandLine, io: Io): Promise<number> {
  const startedMs = steadyMs();
  const { files, notices } = await chooseFiles(typed);
  const configured = await applyConfig(options, io);
  const { values } = configured;
  const { shards, out } = checkPlanned(values);
  const target = readLedgerTarget(
    values,
    "name the table to push to: --table NAME, or defaultTable in a config",
  );
  const { table, shown } = target;
  const state = await openStateDirectory(stateRoot(values, io));
  const facts = factsOf(configured, table, io.cwd);
  const { again = false, drift = "note" } = values;
  const plan = { plan: nameRun(), shards, headerNames: facts.headerNames, queryNames: facts.queryNames };
  const request = requestOf(files, configured, io);
  const rejects = await placesBeside(files, state.root);
  const reporter = await openReporter(values, io, false);
  const stop = listenForStop(io, 0, () => undefined);
  const { drain, abort, received } = stop;
  const kept = {
    state,
    facts,
    cwd: io.cwd,
    again,
    exports: exportsOf(values),
    staleOk: false,
    drift,
  };
  const ask = (lock: PlanRequest["keeping"]["lock"]) =>
    planPush(
      {
        ...request,
        ledgerWords: lineWords(options, "ledger"),
        openSession: () => Promise.reject(new Error("a plan sends nothing")),
        rejects,
        keeping: { ...kept, lock, target: target.ledger, command: plan.plan, nameRun },
        plan,
        out: resolve(io.cwd, out),
      },
      { stdin: () => io.stdin, drain, abort, received, emit: reporter.emit, caughtUp: reporter.caughtUp },
    );
  try {
    reporter.emit({
      event: "run",
      run: plan.plan,
      table,
      url: shown,
      files: namesOf(request),
      configs: configured.uses,
    });
    for (const text of notices) reporter.emit({ event: "notice", text });
    const end: RunEnd & Awaited<ReturnType<typeof planPush>> = await withTableLock(
      state,
      { ...target.ledger, table },
      values.waitLock ?? 0,
      drain,
      ask,
      notStarted,
    );
    if (end.made === undefined) {
      const failure = adviseInit(end.failure, { files, table, line: options, configs: configured.uses });
      return finishRun(reporter, { ...end, failure }, { run: plan.plan, startedMs, signal: received() });
    }
    reporter.close();
    describePlan(end.made, resolve(io.cwd, out), { io, values });
    // Nothing has become of any row yet.
    return exitCode({ ...end, hasBegun: false, signal: received() });
  } finally {
    stop.release();
    reporter.close();
  }
}

/** Throws a usage error for what a plan cannot keep to. */
function checkPlanned(values: OptionValues): { shards: number; out: string } {
  const { shards, out, idempotencyKey } = values;
  if (shards === undefined || out === undefined)
    throw new RecPushError("usage", "missing-argument", `no ${shards === undefined ? "--shards" : "--out"}`, {
      hint: "rec-push plan FILES --table NAME --shards 64 --out DIR",
    });
  if (idempotencyKey === true)
    throw notPlanned(
      "--idempotency-key (idempotencyKey in a config)",
      "plan without it, or push without a plan",
    );
  refuseIndivisible(values, shards);
  return { shards, out };
}

/** Says what was planned, and the commands that follow. */
function describePlan(
  plan: ShardPlan,
  directory: string,
  { io, values }: { readonly io: Io; readonly values: OptionValues },
): void {
  const { json = false, quiet = false } = values;
  if (quiet && !json) return;
  const parts = plan.inputs.flatMap((input) => input.parts);
  const sum = (of: (part: (typeof parts)[number]) => number): number =>
    parts.reduce((all, part) => all + of(part), 0);
  const [updates, creates] = [sum((part) => part.updates), sum((part) => part.creates)];
  const [rejected, skipped] = [sum(({ invalid }) => invalid), sum((part) => part.skipped)];
  const word = quoteWord(directory);
  const next = [
    `start each shard, on any machine that shares ${directory}: rec-push push --plan ${word} --shard 1/${plan.shards}`,
    `add them up and free the table: rec-push runs --plan ${word}`,
  ];
  const others = [
    ...(rejected > 0 ? [`${showCount(rejected, "row")} rejected`] : []),
    ...(skipped > 0 ? [`${showInteger(skipped)} skipped`] : []),
  ];
  const lines = [
    `plan ${plan.plan}: ${[showCount(updates, "update"), showCount(creates, "create"), ...others].join(", ")} in ${showCount(plan.shards, "shard")}; nothing was sent`,
    `  the table ${showText(plan.table)} is held until all of them are settled`,
    ...next.map((step) => `  Next: ${step}`),
  ];
  const { plan: name, shards, table } = plan;
  const about = { plan: name, directory, table, shards, updates, creates, rejected, skipped, next };
  say({ event: "plan", ...about }, lines, values, io);
}
