import { RecPushError } from "../../model/failure.ts";
import { pruneOldRuns } from "../../journal/prune-runs.ts";
import { openState } from "../../journal/open-state.ts";
import { applyConfig } from "../config/apply-config.ts";
import type { Io } from "../io.ts";
import { keptOptions } from "../kept-options.ts";
import { namesOfPairs } from "../kept-names.ts";
import type { CommandLine, RawOptions } from "../program.ts";
import { EXIT } from "../exit-code.ts";
import { isSet, textOf } from "../raw-options.ts";
import { readRunRequest } from "../run-settings.ts";
import { openSandboxRun } from "../sandbox-run.ts";
import { sendFiles } from "../sending.ts";
import { stateRoot } from "../state-settings.ts";
import { readTarget } from "../target-settings.ts";
import { readVersion } from "../version.ts";
import { runCheck } from "./check.ts";
import { resumeOpenRuns } from "./resume.ts";

/** The main job: survey the files, send their records, tell what became of them. */
export async function runPush(line: CommandLine, io: Io): Promise<number> {
  const { files } = line;
  if (isSet(line.options, "dryRun")) {
    if (line.options["survey"] === false) {
      throw new RecPushError("usage", "contradicting-options", "--dry-run is a survey, --no-survey is none");
    }
    return runCheck(line, io);
  }
  const { options, fields, target: profile, uses: configs } = await applyConfig(line.options, io);
  const table = textOf(options, "table");
  if (table === undefined) {
    throw new RecPushError("usage", "missing-table", "no table", {
      hint: "name the table to push to: --table NAME",
    });
  }
  const request = readRunRequest(files, options, fields);
  const sandbox = isSet(options, "sandbox") ? await openSandboxRun(options) : undefined;
  try {
    const notices: string[] = [];
    const target = await readTarget(options, table, io.env, sandbox, {
      ...profile,
      notice: (text) => notices.push(text),
    });
    if (sandbox !== undefined) {
      const code = await sendFiles({ options, request, line: line.options, target, configs, notices }, io);
      sandbox.showTable(table, io.stdout);
      return code;
    }
    const state = await openState(stateRoot(options, io));
    const url = textOf(options, "url") ?? (io.env["REC_PUSH_URL"] || profile.url);
    const tokenFile = textOf(options, "tokenFile") ?? profile.tokenFile;
    const kept = { ...options, url, tokenFile, tokenEnv: profile.tokenEnv };
    const facts = {
      program: readVersion(),
      table,
      options: keptOptions(kept, io.cwd),
      declared: Object.fromEntries(fields),
      ...namesOfPairs(options),
    };
    const again = isSet(options, "again");
    const runKey = readRunKey(options);
    const staleOk = isSet(options, "staleOk");
    const keeping = { state, facts, cwd: io.cwd, again, staleOk, runKey };
    await pruneOldRuns(state);
    if (isSet(options, "resumeFirst")) {
      const code = await resumeOpenRuns(state, target, line, io);
      if (code !== EXIT.ok && code !== EXIT.refused) return code;
    }
    return await sendFiles({ options, request, line: line.options, target, configs, notices, keeping }, io);
  } finally {
    await sandbox?.close();
  }
}

/** Throws usage for an empty text, such as a variable that is not set: it would tell this push apart from all others. */
function readRunKey(options: RawOptions): string | undefined {
  const runKey = textOf(options, "runKey");
  if (runKey?.trim() !== "") return runKey;
  throw new RecPushError("usage", "empty-run-key", "--run-key is empty", {
    hint: "give a text, such as the month, or leave --run-key out",
  });
}
