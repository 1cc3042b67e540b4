import { exportsOf } from "../exports-options.ts";
import { RecPushError } from "../../model/failure.ts";
import { holdsUnmended, replacesUnmended } from "../../finish/holds-unmended.ts";
import { pruneOldRuns } from "../../journal/prune-runs.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { keptTexts } from "../../options/kept-texts.ts";
import { readValues } from "../../options/read-values.ts";
import type { RunRequest } from "../../run/run-inputs.ts";
import { chooseFiles } from "../../survey/own-files.ts";
import type { Asker } from "../ask/asker.ts";
import type { Decision } from "../ask/settle-by-asking.ts";
import { applyConfig } from "../config/apply-config.ts";
import type { Io } from "../io.ts";
import { namesOfPairs } from "../kept-names.ts";
import type { CommandLine } from "../program.ts";
import { EXIT } from "../../model/exit-code.ts";
import { openStateDirectory } from "../../state/state-directory.ts";
import { requestOf } from "../run-settings.ts";
import { openSandboxRun } from "../sandbox-run.ts";
import { type Sending, sendFiles } from "../sending.ts";
import { stateRoot } from "../state-settings.ts";
import { readTarget } from "../target-settings.ts";
import { readVersion } from "../version.ts";

/** `rec-push FILES`: surveys the files, sends their records, reports the outcome. */
export async function runPush(typed: CommandLine, io: Io): Promise<number> {
  if (typed.options["plan"] !== undefined || typed.options["shard"] !== undefined) {
    const { pushShard } = await import("./push-shard.ts");
    return pushShard(typed, io);
  }
  if (typed.files.length === 0)
    throw new RecPushError("usage", "missing-argument", "missing required argument 'files'", {
      hint: "rec-push help push lists the options",
    });
  const { files, notices } = await chooseFiles(typed.files);
  const line = { ...typed, files };
  let decided = line;
  let asker: Asker | undefined;
  // The prompts are loaded only if there is a question.
  const ask = async (): Promise<Decision> => {
    const { settleByAsking } = await import("../ask/settle-by-asking.ts");
    asker = await io.openAsker!();
    return settleByAsking(line, io, asker, (asked) => requestFor(asked, io));
  };
  let outcome = await pushOnce(line, notices, io, isForPeople(line, io) ? ask : undefined);
  if (typeof outcome !== "number") outcome = await pushOnce((decided = outcome), notices, io, undefined);
  if (asker !== undefined && outcome === EXIT.ok) await offerConfig(decided, io, asker);
  return outcome as number;
}

/** One push. If it may ask, it may instead return the command line that the user decided on; then nothing was sent. */
async function pushOnce(
  line: CommandLine,
  onFiles: readonly string[],
  io: Io,
  ask: Sending["ask"],
): Promise<number | CommandLine> {
  const { files, options } = line;
  const configured = await applyConfig(options, io);
  const { texts, values, credentials, uses: configs } = configured;
  const { table, again = false, staleOk = false, runKey } = values;
  if (table === undefined) {
    throw new RecPushError("usage", "missing-table", "no table", {
      hint: "name the table to push to: --table NAME, or defaultTable in a config",
    });
  }
  const request = requestOf(files, configured, io);
  const sandbox = values.sandbox === true ? await openSandboxRun(options) : undefined;
  try {
    const notices = [...onFiles];
    const notice = (text: string): void => void notices.push(text);
    const target = await readTarget(values, table, io.env, sandbox, { ...credentials, notice });
    const sending = { values, request, line: options, merged: texts, target, configs, notices, ask };
    if (sandbox !== undefined) {
      const code = await sendFiles(sending, io);
      if (typeof code === "number") sandbox.showTable(table, io.stdout);
      return code;
    }
    const state = await openStateDirectory(stateRoot(values, io));
    const { from: _, ...places } = credentials;
    const facts = {
      program: readVersion(),
      table,
      options: keptTexts({ ...places, ...texts } as OptionTexts, io.cwd),
      declared: Object.fromEntries(configured.declared),
      ...namesOfPairs(texts),
    };
    const exports = exportsOf(values);
    const { drift = "note" } = values;
    const keeping = { state, facts, cwd: io.cwd, again, exports, staleOk, runKey, drift };
    await pruneOldRuns(state, { holdsUnmended, replacesUnmended });
    return await sendFiles({ ...sending, keeping }, io);
  } finally {
    await sandbox?.close();
  }
}

/** Nobody is asked if the options say so, or if the rows can be read only once. */
function isForPeople({ files, options }: CommandLine, { openAsker }: Io): boolean {
  const { json, quiet, pinned } = readValues(options);
  const isUnattended = json === true || quiet === true || pinned === true;
  return openAsker !== undefined && !isUnattended && !files.includes("-");
}

async function requestFor({ files, options }: CommandLine, io: Io): Promise<RunRequest> {
  return requestOf(files, await applyConfig(options, io), io);
}

/** Offers to write the user's decisions into the config, so that the next file raises no questions. */
async function offerConfig({ files, options }: CommandLine, io: Io, asker: Asker): Promise<void> {
  const { uses } = await applyConfig(options, io);
  if (files.length !== 1 || uses.some(({ table }) => table !== undefined)) return;
  const answer = await asker.key(
    "Write this into the config, so that nothing is asked about the next file? [y/n]",
    [
      { value: "y", label: "yes" },
      { value: "n", label: "no" },
    ],
  );
  if (answer !== "y") return;
  const { runInit } = await import("./init.ts");
  await runInit({ command: "init", files, options }, io);
}
