import { asGiven, choice, flag, negated, ONCE, refused, REPEATED, text } from "./answers.ts";
import { badOptionValue } from "../model/bad-option-value.ts";
import { option } from "./declaration.ts";

/** The extension of the name decides the form of the report. */
function parseReportName(name: string, flag: string): string {
  if (/.\.(?:html|json)$/i.test(name)) return name;
  throw badOptionValue(flag, name, "a name that ends in .html or .json");
}

/** The group "Config". */
export const CONFIG_OPTIONS = {
  config: option({
    ...ONCE,
    form: text("<file>", asGiven<string>),
    help: "a config (or REC_PUSH_CONFIG); it takes precedence over rec-push.config.json, here or in a parent directory, and your own",
    commands: {
      push: true,
      plan: true,
      check: true,
      doctor: true,
      init: "the config to write (default: rec-push.config.json, here or in a parent directory)",
      ledger: true,
    },
    environment: "REC_PUSH_CONFIG",
    mended: REPEATED,
  }),
  profile: option({
    ...ONCE,
    form: text("<name>", asGiven<string>),
    help: "the service to push to, from --config or your own config",
    commands: { push: true, plan: true, doctor: true, ledger: true },
    mended: REPEATED,
  }),
  yes: option({
    ...ONCE,
    form: flag("-y"),
    help: "accept every answer that is certain, and ask nothing",
    commands: { init: true },
  }),
  force: option({
    ...ONCE,
    form: flag(),
    help: "replace the table's section in the config",
    commands: { init: true },
  }),
};

/** Output is the same for the runs that a push finishes first. */
const TOLD = { ...ONCE } as const;

/** The group "Output". */
export const OUTPUT_OPTIONS = {
  records: option({
    ...ONCE,
    form: text("<file>", asGiven<string>),
    help: "write the records as NDJSON to this file; - is standard output",
    commands: { check: true },
  }),
  json: option({
    ...TOLD,
    form: flag(),
    help: "one JSON object per event on standard output",
    commands: {
      push: true,
      plan: true,
      check: true,
      resume: true,
      runs: "one JSON object per run on standard output",
      doctor: true,
    },
  }),
  quiet: option({
    ...TOLD,
    form: flag("-q"),
    help: "nothing on success, for cron",
    commands: { push: true, plan: true, check: true, resume: true, ledger: true, init: "nothing on success" },
  }),
  verbose: option({
    ...TOLD,
    form: flag("-v"),
    help: "every column, every batch, every wait",
    commands: { push: true, plan: true, check: true, resume: true, ledger: true },
  }),
  color: option({
    ...TOLD,
    form: choice("<when>", ["auto", "always", "never"]),
    help: "colours: auto (the default) asks NO_COLOR, FORCE_COLOR and the terminal",
    commands: { push: true, plan: true, check: true, resume: true, init: true, doctor: true },
  }),
  logFile: option({
    ...TOLD,
    form: text("<file>", asGiven<string>),
    help: "append everything to this file, with the time of each line; NDJSON with --json",
    commands: { push: true, plan: true, check: true, resume: true },
  }),
  report: option({
    ...TOLD,
    form: text("<file>", parseReportName),
    help: "a report of the run: one page to read (.html), or data (.json)",
    commands: {
      push: true,
      plan: refused("a plan sends nothing", "give it to a shard, or to rec-push check"),
      check: true,
      resume: true,
    },
  }),
  progress: option({
    ...TOLD,
    form: negated(),
    help: "no progress line",
    commands: { push: true, plan: true, check: true, resume: true, ledger: true, init: true },
  }),
};
