import { RecPushError } from "../../model/failure.ts";
import { pruneOldRuns } from "../../journal/prune-runs.ts";
import { openState } from "../../journal/open-state.ts";
import { keptTexts } from "../../options/kept-texts.ts";
import { applyConfig } from "../config/apply-config.ts";
import type { Io } from "../io.ts";
import { namesOfPairs } from "../kept-names.ts";
import type { CommandLine } from "../program.ts";
import { EXIT } from "../../model/exit-code.ts";
import { readRunRequest } from "../run-settings.ts";
import { openSandboxRun } from "../sandbox-run.ts";
import { sendFiles } from "../sending.ts";
import { stateRoot } from "../state-settings.ts";
import { readTarget } from "../target-settings.ts";
import { readVersion } from "../version.ts";
import { runCheck } from "./check.ts";
import { resumeOpenRuns } from "./resume.ts";

/** `rec-push FILES`: surveys the files, sends their records, reports the outcome. */
export async function runPush(line: CommandLine, io: Io): Promise<number> {
  const { files, options } = line;
  if (options["dryRun"] === true) return runCheck(line, io);
  const configured = await applyConfig(options, io);
  const { texts, values, token, uses: configs } = configured;
  const { table, again = false, staleOk = false, runKey } = values;
  if (table === undefined) {
    throw new RecPushError("usage", "missing-table", "no table", {
      hint: "name the table to push to: --table NAME",
    });
  }
  const request = readRunRequest(files, configured, io.now());
  const sandbox = values.sandbox === true ? await openSandboxRun(options) : undefined;
  try {
    const notices: string[] = [];
    const notice = (text: string): void => void notices.push(text);
    const target = await readTarget(values, table, io.env, sandbox, { ...token, notice });
    const sending = { values, request, line: options, merged: texts, target, configs, notices };
    if (sandbox !== undefined) {
      const code = await sendFiles(sending, io);
      sandbox.showTable(table, io.stdout);
      return code;
    }
    const state = await openState(stateRoot(values, io));
    const { tokenFile, tokenEnv } = token;
    const facts = {
      program: readVersion(),
      table,
      options: keptTexts({ tokenFile, tokenEnv, ...texts }, io.cwd),
      declared: Object.fromEntries(configured.declared),
      ...namesOfPairs(texts),
    };
    const keeping = { state, facts, cwd: io.cwd, again, staleOk, runKey };
    await pruneOldRuns(state);
    if (values.resumeFirst === true) {
      const code = await resumeOpenRuns(state, target, options, io);
      if (code !== EXIT.ok && code !== EXIT.refused) return code;
    }
    return await sendFiles({ ...sending, keeping }, io);
  } finally {
    await sandbox?.close();
  }
}
