import { join } from "node:path";
import type { DeclaredField } from "../../fields/field-options.ts";
import { RecPushError } from "../../model/failure.ts";
import type { RunEvent } from "../../model/event.ts";
import { decisionOn } from "../../journal/decide-doubt.ts";
import { settleDoubt } from "../../run/settle-doubt.ts";
import { findOpenRuns, findRun } from "../../journal/find-runs.ts";
import { INPUT_COPY, stateOf, type StoredRun } from "../../journal/run-store.ts";
import { openState } from "../../journal/open-state.ts";
import type { StateDirectory } from "../../state/state-directory.ts";
import type { Target } from "../../send/target.ts";
import { exitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { checkNamesOfPairs, checkQueryValues } from "../kept-names.ts";
import type { CommandLine, RawOptions } from "../program.ts";
import { given, isSet, textOf } from "../raw-options.ts";
import { readRunRequest } from "../run-settings.ts";
import { sendFiles } from "../sending.ts";
import { stateRoot } from "../state-settings.ts";
import { tellEnd } from "../tell-end.ts";
import { readTarget } from "../target-settings.ts";

/** Goes on with an open run: sends what is certainly not applied, and takes the user's word on what is in doubt. */
export async function runResume({ files, options }: CommandLine, io: Io): Promise<number> {
  const state = await openState(stateRoot(options, io));
  return resumeRun(state, await findRun(state, files[0]), options, io);
}

/** Resumes the open runs on a target's table, the oldest first, until one does not end; gives the last exit code. */
export async function resumeOpenRuns(
  state: StateDirectory,
  target: Target,
  { options }: CommandLine,
  io: Io,
): Promise<number> {
  let code = 0;
  for (const stored of await findOpenRuns(state, target.origin + target.path)) {
    const { tokenFile, httpHeader, query, json, quiet, verbose, progress, waitLock, grace } = options;
    const own = given({ tokenFile, httpHeader, query, json, quiet, verbose, progress, waitLock, grace });
    code = await resumeRun(state, stored, own, io);
    if (code !== 0 && code !== 4) break;
  }
  return code;
}

async function resumeRun(
  state: StateDirectory,
  stored: StoredRun,
  line: RawOptions,
  io: Io,
): Promise<number> {
  const { facts, account, run, directory } = stored;
  const runState = stateOf(account);
  if (runState === "abandoned") {
    throw new RecPushError("usage", "abandoned-run", `the run ${run} was given up`, {
      hint: "push its file again: what it created stays, so look at it before adding --again",
    });
  }
  const inDoubt = readInDoubt(line);
  // Typed on what is in doubt now, whatever happens until the table is free.
  const decision = inDoubt && decisionOn(stored, inDoubt);
  // Where nothing is left to send, neither the file nor a token is needed.
  const isSent = runState === "finished" || (runState === "unsettled" && inDoubt !== "resend");
  if (isSent) {
    refuseFiles(line, run);
    const { url } = facts.identity;
    const end = (emit: (event: RunEvent) => void) =>
      settleDoubt(
        state,
        run,
        decision,
        (found) => exitCode({ ...found, signal: undefined }),
        (text) => emit({ kind: "notice", notice: { text }, isAlwaysShown: true }),
      );
    return tellEnd({ state, options: line, run, url, table: facts.table, files: [facts.file] }, end, io);
  }
  const options: RawOptions = { ...facts.options, ...line };
  checkNamesOfPairs(facts, options);
  const declared = new Map(Object.entries(facts.declared)) as ReadonlyMap<string, DeclaredField>;
  const path = facts.path ?? join(directory, INPUT_COPY);
  const request = {
    ...readRunRequest([path], options, declared),
    isPinned: false,
    nameOf: () => (facts.path === undefined ? "<stdin>" : facts.file),
  };
  const tokenEnv = textOf(options, "tokenEnv");
  const profile = given({ tokenEnv, from: `the run ${run}` });
  const notices: string[] = [];
  const target = await readTarget(withTokenLast(options, line), facts.table, io.env, undefined, {
    ...profile,
    ...given({ tokenFile: textOf(facts.options, "tokenFile") }),
    notice: (text) => notices.push(text),
  });
  checkQueryValues(facts, target.queryHash);
  const keeping = {
    state,
    facts,
    cwd: io.cwd,
    again: false,
    staleOk: isSet(line, "staleOk"),
    runKey: facts.identity.runKey ?? undefined,
    resumed: run,
    decision,
  };
  return sendFiles(
    { options, request, line: { ...options, table: facts.table }, target, notices, keeping },
    io,
  );
}

/** Throws usage where files are asked for that only another reading of the input could fill. */
function refuseFiles(line: RawOptions, run: string): void {
  const asked = ["rejects", "results"].filter((name) => line[name] !== undefined).map((name) => `--${name}`);
  if (asked.length === 0) return;
  throw new RecPushError(
    "usage",
    "nothing-to-send",
    `nothing of the run ${run} is left to send, so its file is not read again for ${asked.join(" and ")}`,
    { hint: `leave ${asked.join(" and ")} out` },
  );
}

/** The token file of the run comes behind the environment: a newer token is more likely there. */
function withTokenLast(options: RawOptions, line: RawOptions): RawOptions {
  return { ...options, tokenFile: line["tokenFile"] };
}

function readInDoubt(options: RawOptions): "applied" | "resend" | undefined {
  const text = textOf(options, "inDoubt");
  return text === "applied" || text === "resend" ? text : undefined;
}
