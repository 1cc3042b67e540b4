import { placesBeside } from "../rejects-place.ts";
import { access } from "node:fs/promises";
import type { ResultsPlace } from "../../finish/results.ts";
import type { StoredRun } from "../../journal/run-store.ts";
import { lookAtInput } from "../../finish/input-now.ts";
import { RecPushError } from "../../model/failure.ts";
import { doubtSteps } from "../../model/run-steps.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { retellRun, type RetoldRun } from "../../run/retell-run.ts";
import { GivenUp } from "../../state/given-up.ts";
import type { StateDirectory } from "../../state/state-directory.ts";
import { exportsOf, resultFieldsOf } from "../exports-options.ts";
import { formerUrlsOf } from "../former-urls.ts";
import { nameRun } from "../run-name.ts";
import { inputOf, resumeRequest } from "./resume-request.ts";

/** Where a run is kept, and what the command asks for. */
interface RetellingPlace {
  readonly state: StateDirectory;
  readonly texts: OptionTexts;
  readonly results: Omit<ResultsPlace, "identity"> | undefined;
  readonly cwd: string;
}

/** Stands for the lock: nothing is written to a journal. */
export const NO_LOCK = {
  fence: 0,
  known: new Map(),
  givenUp: new GivenUp(),
  noteSending: async () => undefined,
  check: async () => undefined,
  checkAfterGap: async () => undefined,
};

/**
 * Makes the function that reads the input of a run again, without token and service, to bring the files of the run up
 * to date.
 */
export function retelling({
  state,
  texts,
  results,
  cwd,
}: RetellingPlace): (stored: StoredRun) => Promise<RetoldRun> {
  return async (stored) => {
    const { values, request } = resumeRequest(stored, texts, false);
    const { facts, run } = stored;
    const keeping = {
      state,
      lock: NO_LOCK,
      target: facts.identity,
      facts,
      cwd,
      again: false,
      exports: exportsOf(values),
      formerUrls: formerUrlsOf(values, facts.table),
      staleOk: false,
      resumed: run,
      command: facts.command,
      nameRun,
    };
    const signal = new AbortController().signal;
    return retellRun(stored, {
      request: {
        ...request,
        spoolIn: state.incoming,
        openSession: () => Promise.reject(new Error("nothing is sent")),
        rejects: await placesBeside([facts.path ?? "-"], state.root),
        results: results && { ...results, identity: resultFieldsOf(values) },
        keeping,
      },
      control: { drain: signal, abort: signal },
    });
  };
}

/** Throws a usage error if the rows in doubt of a run cannot be sent, because its input is gone or changed. */
export async function refuseWithoutInput(stored: StoredRun): Promise<void> {
  const path = inputOf(stored);
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  const inputNow = isThere ? await lookAtInput(stored) : "gone";
  const { run, facts, account } = stored;
  if (inputNow === undefined || account.doubt === undefined) return;
  const steps = doubtSteps({
    called: run,
    doubt: account.doubt,
    records: account.count("inDoubt"),
    isRefused: false,
    file: undefined,
    inputNow,
  });
  throw new RecPushError(
    "usage",
    inputNow === "gone" ? "source-gone" : "other-content",
    `${facts.file} ${inputNow === "gone" ? "is gone" : "has changed since the run began"}, so the rows in doubt of the run ${run} cannot be sent; nothing is decided, and nothing was sent`,
    { hint: ["bring the file back as it was, then run the same command again", ...steps].join("\n") },
  );
}
