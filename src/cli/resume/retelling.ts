import { placesBeside } from "../rejects-place.ts";
import { access } from "node:fs/promises";
import type { ResultsPlace } from "../../finish/results.ts";
import type { StoredRun } from "../../journal/run-store.ts";
import { RecPushError } from "../../model/failure.ts";
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

/** Throws a usage error if the rows in doubt of a run can no longer be read. */
export async function refuseGone(stored: StoredRun): Promise<void> {
  const path = inputOf(stored);
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  const { run, facts } = stored;
  throw new RecPushError(
    "usage",
    "source-gone",
    `${facts.file} is gone, so the rows in doubt of the run ${run} can no longer be sent one by one; nothing is decided, and nothing was sent`,
    {
      hint: `bring the file back as it was, then run the same command again\nor decide on all of them: rec-push resume ${run} --in-doubt applied (they are there) or absent (they are not)`,
    },
  );
}
