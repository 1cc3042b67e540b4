import { badOptionValue } from "../model/text.ts";
import {
  asGiven,
  AS_TEXTS,
  choice,
  flag,
  IN_TABLE,
  NEGATED,
  ONCE,
  option,
  text,
  texts,
} from "./declaration.ts";
import { numberFrom, parseLimit } from "./quantities.ts";

const CONFIG = { ...ONCE, group: "Config:" } as const;

export const CONFIG_OPTIONS = {
  config: option({
    ...CONFIG,
    form: text("<file>", asGiven<string>),
    help: "a config (or REC_PUSH_CONFIG); wins over rec-push.config.json and your own",
    commands: {
      push: true,
      plan: true,
      check: true,
      doctor: true,
      init: "the config to write (default: rec-push.config.json, here or in a parent directory)",
      ledger: true,
    },
    environment: "REC_PUSH_CONFIG",
    mended: "repeated",
  }),
  profile: option({
    ...CONFIG,
    form: text("<name>", asGiven<string>),
    help: "the service to push to, from --config or your own config",
    commands: { push: true, plan: true, check: true, doctor: true, ledger: true },
    mended: "repeated",
  }),
  yes: option({
    ...CONFIG,
    form: flag("-y"),
    help: "accept every answer that is certain, and ask nothing",
    commands: { init: true },
  }),
};

/** Output is the same for the runs that a push finishes first. */
const OUTPUT = { ...ONCE, group: "Output:" } as const;

export const OUTPUT_OPTIONS = {
  records: option({
    ...OUTPUT,
    form: text("<file>", asGiven<string>),
    help: "write the records as NDJSON to this file; - is standard output",
    commands: { check: true },
  }),
  json: option({
    ...OUTPUT,
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
    ...OUTPUT,
    form: flag("-q"),
    help: "on success only what needs a person, for cron",
    commands: { push: true, plan: true, check: true, resume: true, ledger: true, init: "nothing on success" },
  }),
  verbose: option({
    ...OUTPUT,
    form: flag("-v"),
    help: "every column, every batch, every wait",
    commands: { push: true, plan: true, check: true, resume: true, ledger: true },
  }),
  input: option({
    ...OUTPUT,
    form: NEGATED,
    help: "ask nothing: what is not certain stops the command, as without a terminal",
    commands: { push: true, init: true },
  }),
  color: option({
    ...OUTPUT,
    form: choice("<when>", ["auto", "always", "never"]),
    help: "colours: auto (the default) asks NO_COLOR, FORCE_COLOR and the terminal",
    commands: {},
    config: IN_TABLE,
    journal: "text",
  }),
  logFile: option({
    ...OUTPUT,
    form: text("<file>", asGiven<string>),
    help: "append everything to this file, with the time of each line; NDJSON with --json",
    commands: { push: true, plan: true, check: true, resume: true },
  }),
  report: option({
    ...OUTPUT,
    form: text("<file>", parseReportName),
    help: "a report of the run: one page to read (.html), or data (.json)",
    commands: { push: true, check: true, resume: true },
  }),
  progress: option({
    ...OUTPUT,
    form: flag(),
    help: "false: no progress line",
    commands: {},
    config: IN_TABLE,
    journal: "text",
  }),
};

/** The extension of the name decides the form of the report. */
function parseReportName(name: string, flag: string): string {
  if (/.\.(?:html|json)$/i.test(name)) return name;
  throw badOptionValue(flag, name, "a name that ends in .html or .json");
}

/** The command `sandbox` pushes nothing. */
const SANDBOX = { ...ONCE, group: "Options:", commands: { sandbox: true } } as const;

export const SANDBOX_OPTIONS = {
  port: option({
    ...SANDBOX,
    form: text("<number>", numberFrom(0, 65_535)),
    help: "port to listen on; 0 takes a free one (default: 8700)",
  }),
  token: option({
    ...SANDBOX,
    form: text("<text>", asGiven<string>),
    help: "the token it accepts; for rehearsals, never a real one (default: sandbox)",
  }),
  dbVersions: option({
    ...SANDBOX,
    form: text("<list>", (list) => list.split(",").map((part) => part.trim())),
    help: "database versions it accepts; by default none is required",
  }),
  oauth: option({
    ...SANDBOX,
    form: flag(),
    help: "give tokens of 60 s to the client sandbox with the secret sandbox-secret, for --auth oauth2",
  }),
  limit: option({
    ...SANDBOX,
    form: text("<requests/time>", parseLimit),
    help: "accept this many requests per period (20/10s), announce it in RateLimit headers, answer 429 beyond",
  }),
  fault: option({
    ...SANDBOX,
    form: texts("<rule>", AS_TEXTS, asGiven<readonly string[]>),
    help: "misbehave, as the rules below say; may be repeated",
  }),
};
