import { resolve } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import { exitCode } from "../../model/exit-code.ts";
import { pruneOldRuns } from "../../journal/prune-runs.ts";
import { holdsUnmended, replacesUnmended } from "../../finish/holds-unmended.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { showText } from "../../model/visible-text.ts";
import { keptTexts } from "../../options/kept-texts.ts";
import { lineWords } from "../../options/line-words.ts";
import { mendCommand } from "../../options/mend-command.ts";
import type { OptionValues } from "../../options/table.ts";
import { planPush } from "../../run/plan-push.ts";
import type { PlanRequest } from "../../run/plan-request.ts";
import { notPlanned } from "../../run/refuse-unplanned.ts";
import type { RunEnd } from "../../model/run-end.ts";
import { chooseFiles } from "../../survey/own-files.ts";
import { adviseInit } from "../advise-init.ts";
import { applyConfig } from "../config/apply-config.ts";
import { exportsOf } from "../exports-options.ts";
import { finishRun } from "../finish.ts";
import type { Io } from "../io.ts";
import { namesOfPairs } from "../kept-names.ts";
import { readLedgerTarget } from "../ledger-target.ts";
import { notStarted } from "../not-started.ts";
import type { CommandLine } from "../program.ts";
import { placesBeside } from "../rejects-place.ts";
import { openReporter } from "../reporting.ts";
import { nameRun } from "../run-name.ts";
import { namesOf, requestOf } from "../run-settings.ts";
import { describePlan } from "../shards/describe-plan.ts";
import { refuseIndivisible } from "../shards/share-limits.ts";
import { listenForStop } from "../signals.ts";
import { stateRoot } from "../state-settings.ts";
import { withTableLock } from "../table-locking.ts";
import { readVersion } from "../version.ts";
import { steadyMs } from "../../model/steady-ms.ts";
import { openStateDirectory } from "../../state/state-directory.ts";

/** Nothing has become of any row yet. */
const NONE = { accepted: 0, refused: 0, failed: 0, inDoubt: 0, rejected: 0, notSent: 0, skipped: 0 };

/** `rec-push plan FILES --shards N --out DIR`: decides everything about a push that several processes share; sends nothing. */
export async function runPlan({ files: typed, options }: CommandLine, io: Io): Promise<number> {
  const startedMs = steadyMs();
  const { files, notices: told } = await chooseFiles(typed);
  const notices = [...told];
  const configured = await applyConfig(options, io);
  const { texts, values, credentials } = configured;
  const { shards, out } = checkPlanned(files, values);
  const target = readLedgerTarget(
    values,
    "name the table to push to: --table NAME, or defaultTable in a config",
  );
  const { table, shown } = target;
  const { formerUrls, ...pushed } = target.ledger;
  const state = await openStateDirectory(stateRoot(values, io));
  await pruneOldRuns(state, { holdsUnmended, replacesUnmended });
  const { from: _, ...places } = credentials;
  const facts = {
    program: readVersion(),
    table,
    options: keptTexts({ ...places, ...texts } as OptionTexts, io.cwd),
    declared: Object.fromEntries(configured.declared),
    ...namesOfPairs(texts),
  };
  const { again = false } = values;
  const { drift = "note" } = values;
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
    formerUrls,
  };
  const ask = (lock: PlanRequest["keeping"]["lock"]) =>
    planPush(
      {
        ...request,
        ledgerWords: lineWords(options, "ledger"),
        commandFor: (path, survey, other) =>
          mendCommand(
            { path, survey },
            { line: { ...options, ...other }, merged: { ...texts, ...other }, fields: request.fields },
          ),
        openSession: () => Promise.reject(new Error("a plan sends nothing")),
        rejects,
        keeping: { ...kept, lock, target: pushed, command: plan.plan, nameRun },
        plan,
        out: resolve(io.cwd, out),
      },
      { stdin: () => io.stdin, drain, abort, received, emit: reporter.emit, caughtUp: reporter.caughtUp },
    );
  try {
    reporter.emit({
      kind: "run",
      run: plan.plan,
      table,
      url: shown,
      files: namesOf(request),
      configs: configured.uses,
    });
    if (values.rejects !== undefined)
      notices.push(
        `${showText(values.rejects, 400)} is not used for rejects: those of a shard lie in the plan's directory`,
      );
    for (const text of notices) reporter.emit({ kind: "notice", notice: { text } });
    const end: RunEnd & Awaited<ReturnType<typeof planPush>> = await withTableLock(
      state,
      { url: pushed.url, table },
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
    return exitCode({ ...end, counts: NONE, signal: received() });
  } finally {
    stop.release();
    reporter.close();
  }
}

/** Throws a usage error for what a plan cannot keep to. */
function checkPlanned(files: readonly string[], values: OptionValues): { shards: number; out: string } {
  const { shards, out, idempotencyKey, onRepeat } = values;
  if (shards === undefined || out === undefined)
    throw new RecPushError("usage", "missing-argument", `no ${shards === undefined ? "--shards" : "--out"}`, {
      hint: "rec-push plan FILES --table NAME --shards 64 --out DIR",
    });
  if (files.includes("-"))
    throw notPlanned(
      "standard input can be read only once",
      "save it as a file first, where every shard can read it",
    );
  if (idempotencyKey === true)
    throw notPlanned(
      "--idempotency-key (idempotencyKey in a config)",
      "plan without it, or push without a plan",
    );
  if (onRepeat === "last")
    throw notPlanned(
      "--on-repeat last (onRepeat in a config)",
      "--on-repeat all sends the rows of a key in their order, so that the last one counts too",
    );
  refuseIndivisible(values, shards);
  return { shards, out };
}
