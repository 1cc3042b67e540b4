import { resolve } from "node:path";
import { showCount, showInteger } from "../../model/counts.ts";
import { exitCode } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { quoteWord, showText } from "../../model/text.ts";
import { lineWords } from "../../options/derive.ts";
import type { OptionValues } from "../../options/table.ts";
import { notPlanned, planPush } from "../../push/plan-push.ts";
import type { ShardPlan } from "../../shards/shard-plan.ts";
import { chooseFiles } from "../../survey/own-files.ts";
import { applyConfig } from "../config/apply-config.ts";
import { openKeeping, readBookTarget } from "../keeping.ts";
import type { CommandLine } from "../command-line.ts";
import { placesBeside } from "../output-places.ts";
import { openReporter } from "../reporting.ts";
import { type Io, namesOf, requestOf } from "../run-settings.ts";
import { say } from "../say.ts";
import { inSession, nameRun, notStarted } from "../session.ts";

/** `rec-push plan FILES --shards N --out DIR`: decides everything about a push that several processes share; sends nothing. */
export async function runPlan({ files: typed, options }: CommandLine, io: Io): Promise<number> {
  const { files, notices } = await chooseFiles(typed);
  const configured = await applyConfig(options, io);
  const { values, uses: configs } = configured;
  const { shards, directory: out } = checkPlanned(values, io.cwd);
  const { table, shown, target } = readBookTarget(values);
  const { drift = "note" } = values;
  const run = nameRun();
  const keeping = { ...(await openKeeping(configured, table, target, io)), drift, command: run };
  const { state, facts } = keeping;
  const { headerNames, queryNames } = facts;
  const request = requestOf(files, configured, io);
  const planned = {
    ...request,
    ledgerWords: lineWords(options, "ledger"),
    openSession: () => Promise.reject(new Error("a plan sends nothing")),
    rejects: await placesBeside(files, state.root),
    plan: { plan: run, shards, headerNames, queryNames },
    out,
  };
  const reporter = await openReporter(values, io, false);
  return inSession({ reporter, values, io }, async ({ control, begin, locked, finish, close }) => {
    begin({ run, table, url: shown, files: namesOf(request), configs }, notices);
    const end: Awaited<ReturnType<typeof planPush>> = await locked(
      state,
      { ...target, table },
      (lock) => planPush({ ...planned, keeping: { ...keeping, lock } }, control),
      notStarted,
    );
    if (end.made === undefined) return finish(end, run);
    close();
    describePlan(end.made, out, { io, values });
    // Nothing has become of any row yet.
    return exitCode({ ...end, hasBegun: false, signal: control.received() });
  });
}

/** Throws a usage error for what a plan cannot keep to. */
function checkPlanned(values: OptionValues, cwd: string): { shards: number; directory: string } {
  const { shards, out, idempotencyKey } = values;
  if (shards === undefined || out === undefined)
    throw new RecPushError("wrong-usage", `no ${shards === undefined ? "--shards" : "--out"}`, {
      hint: "rec-push plan FILES --table NAME --shards 64 --out DIR",
    });
  if (idempotencyKey === true)
    throw notPlanned(
      "--idempotency-key (idempotencyKey in a config)",
      "plan without it, or push without a plan",
    );
  return { shards, directory: resolve(cwd, out) };
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
