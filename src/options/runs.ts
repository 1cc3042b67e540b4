import { badOptionValue } from "../model/refer-to-sheets.ts";
import { asText, inTable, option, REPLACE } from "./declaration.ts";
import { asGiven, flag, ONCE, refused, REPEATED, text } from "./output.ts";
import { parseDuration } from "./values.ts";

/** The value of `--in-doubt`: an answer for a doubt, or the file of its rows, some of which were deleted. */
export type InDoubt =
  | { readonly kind: "answer"; readonly doubt: string; readonly answer: "applied" | "resend" | "absent" }
  | { readonly kind: "file"; readonly path: string };

/** `1f3a9c0e=applied`, or the path of a file. A file whose name reads like an answer is `./NAME`. */
function parseInDoubt(text: string, option: string): InDoubt {
  const [, doubt, answer] = /^(?:([^/]*)=)?(applied|resend|absent)$/.exec(text) ?? [];
  if (answer === undefined) return { kind: "file", path: text };
  if (doubt === undefined || !/^[0-9a-f]{8}$/.test(doubt))
    throw badOptionValue(
      option,
      text,
      `the name of the doubt before the answer, as rec-push runs prints them: 1f3a9c0e=${answer}`,
    );
  return { kind: "answer", doubt, answer: answer as "applied" | "resend" | "absent" };
}

/** The group "Rejects and results". */
export const RESULT_OPTIONS = {
  rejects: option({
    ...ONCE,
    form: text("<file>", asGiven<string>),
    help: "write the rows rejected or refused to this file, to be mended and pushed; in a config: to this directory, relative to it (default: beside the input)",
    config: [inTable(asText(), REPLACE)],
    commands: {
      push: true,
      plan: refused(
        "several processes would write one file",
        "those of a shard lie in the plan's directory; rec-push runs --plan DIR names them",
      ),
      resume: true,
    },
  }),
  results: option({
    ...ONCE,
    form: text("<file>", asGiven<string>),
    help: "write the outcome of every row to this file: CSV, or NDJSON for *.ndjson",
    commands: {
      push: true,
      plan: refused(
        "several processes would write one file",
        "rec-push runs --plan DIR counts what became of all rows, and names the files of those to mend; or push without a plan",
      ),
      resume: true,
    },
  }),
};

/** The group "Runs". */
export const RUN_OPTIONS = {
  inDoubt: option({
    ...ONCE,
    form: text("<doubt>", parseInDoubt),
    help: "NAME=applied: the records in doubt are in the service; NAME=resend: they are not, send them now; NAME=absent: they are not, and are not sent; or the file of rows in doubt, from which those in the service were deleted",
    commands: { resume: true },
  }),
  open: option({
    ...ONCE,
    form: flag(),
    help: "only the runs that are open",
    commands: { runs: true },
  }),
  all: option({
    ...ONCE,
    form: flag(),
    help: "every run that is kept, not only the latest 20",
    commands: { runs: true },
  }),
  stateDir: option({
    ...ONCE,
    form: text("<dir>", asGiven<string>),
    help: "where runs are kept (default: $XDG_STATE_HOME/rec-push)",
    commands: { push: true, plan: true, resume: true, runs: true, doctor: true, ledger: true },
    mended: REPEATED,
  }),
  waitLock: option({
    ...ONCE,
    form: text("<time>", parseDuration),
    help: "how long to wait for another run on this table (default: not at all)",
    commands: { push: true, plan: true, resume: true, runs: "how long to wait for the table", ledger: true },
  }),
  again: option({
    ...ONCE,
    form: flag(),
    help: "create all records of the files, even if some were created before",
    commands: { push: true, plan: true },
  }),
  runKey: option({
    ...ONCE,
    form: text("<text>", parseRunKey),
    help: "tells pushes of equal content apart, such as the month",
    commands: { push: true, plan: true, ledger: true },
    mended: REPEATED,
  }),
  staleOk: option({
    ...ONCE,
    form: flag(),
    help: "send old values anyway: those of an open run or of mended rejects although later rows with some of their keys were accepted",
    commands: {
      push: true,
      plan: refused(
        "a plan is not made of old values",
        "push mended rejects without a plan; finish or give up open runs before",
      ),
      resume: "go on although a later run sent some of its keys",
    },
  }),
};

/**
 * Throws a usage error for an empty text, such as an unset variable: it would make this push different from all others.
 */
function parseRunKey(text: string, option: string): string {
  if (text.trim() !== "") return text;
  throw badOptionValue(
    option,
    text,
    "a text, such as the month; leave the option out where it is not needed",
  );
}
