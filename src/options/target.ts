import { parseList } from "../fields/field-option-texts.ts";
import { RecPushError } from "../model/failure.ts";
import { parseHeader } from "../send/request-headers.ts";
import { CREDENTIAL_OPTIONS } from "./credentials.ts";
import { NETWORK_OPTIONS } from "./network.ts";
import {
  asGiven,
  BETWEEN_COMMAS,
  choice,
  DECIDES_NOTHING,
  flag,
  KEPT,
  keptNames,
  NO_VARIABLE,
  NOT_IN_CONFIG,
  NOT_KEPT,
  NOT_PINNED,
  PAIRS,
  REPEATED,
  SECRET,
  text,
  texts,
  refused,
} from "./answers.ts";
import { asList, asMap, asText, byName, inProfile, REPLACE } from "./config-key.ts";
import { option } from "./declaration.ts";

/** Where the records go. A run keeps it; a config that was only found must not set it. */
const TARGET = {
  commands: { push: true, plan: true, doctor: true, ledger: true },
  environment: NO_VARIABLE,
  journal: KEPT,
  records: DECIDES_NOTHING,
  mended: REPEATED,
  init: NOT_PINNED,
} as const;

/** Why a config holds no token. */
export const TOKEN_PLACE =
  'a token must not be in the config: put it into a file that "tokenFile" names, or into an environment variable that "tokenEnv" names';

/** Why a config holds no client secret. */
export const SECRET_PLACE =
  'a client secret must not be in the config: put it into a file that "clientSecretFile" names, or into REC_PUSH_CLIENT_SECRET';

/** The group "Target". */
export const TARGET_OPTIONS = {
  table: option({
    ...TARGET,
    form: text("<name>", asGiven<string>, { short: "-t" }),
    help: "the table to push to",
    commands: {
      push: true,
      plan: true,
      check: "the table the rows are meant for",
      doctor: "the table to ask about",
      init: "the table that files like this one go to",
      ledger: "the table whose ledger it is",
      runs: "only the runs on this table",
    },
    config: NOT_IN_CONFIG,
    // The table is one of the run's own facts.
    journal: NOT_KEPT,
  }),
  url: option({
    ...TARGET,
    form: text("<url>", asGiven<string>, { short: "-u" }),
    help: "base URL of the service (or REC_PUSH_URL)",
    environment: "REC_PUSH_URL",
    config: [inProfile(asText("base URL of the service"), REPLACE)],
  }),
  sameAs: option({
    ...TARGET,
    form: texts("<urls>", BETWEEN_COMMAS, parseUrls),
    help: "former base URLs of this service: what was created there counts as created here",
    commands: {},
    config: [inProfile(asList("former base URLs of this service: its ledger continues"), REPLACE)],
  }),
  ...CREDENTIAL_OPTIONS,
  auth: option({
    ...TARGET,
    form: choice("<how>", ["both", "access_token", "bearer", "oauth2"]),
    help: "how the token is sent (default: both); oauth2 fetches it with client id and secret",
    config: [inProfile(asText(), REPLACE)],
  }),
  dbVersion: option({
    ...TARGET,
    form: text("<version>", asGiven<string>),
    help: "database version the service asks for",
    config: [inProfile(asText(), REPLACE)],
  }),
  dbVersionIn: option({
    ...TARGET,
    form: text("<place>", asGiven<string>),
    help: "header:NAME, query:NAME or body:NAME (default: header:database_version)",
    config: [inProfile(asText(), REPLACE)],
  }),
  body: option({
    ...TARGET,
    form: choice("<shape>", ["array", "data"]),
    help: 'a bare array of records (the default) or {"data": [...]}',
    config: [inProfile(asText(), REPLACE)],
  }),
  httpHeader: option({
    ...TARGET,
    form: texts("<header>", { kind: "pairs", sign: ": ", split: "first" }, asGiven<readonly string[]>, "-H"),
    help: 'an HTTP header to add, "Name: value"; @FILE: those in a file (or REC_PUSH_HEADERS_FILE), one per line',
    commands: {
      push: true,
      plan: true,
      resume: "an HTTP header that the run was sent with; @FILE: those of a file (or REC_PUSH_HEADERS_FILE)",
      doctor: true,
      ledger: true,
    },
    environment: "REC_PUSH_HEADERS_FILE",
    config: [
      inProfile(
        asMap("HTTP headers to add", "the header's value", ": ", checkHeader),
        byName((header) => nameBefore(header, ":").toLowerCase()),
        "headers",
      ),
    ],
    journal: keptNames(":", (name) => `-H "${name}: ..."`),
    mended: SECRET,
  }),
  query: option({
    ...TARGET,
    form: texts("<name=value>", PAIRS, asGiven<readonly string[]>),
    help: "a query parameter to add",
    commands: {
      push: true,
      plan: true,
      resume: "a query parameter that the run was sent with",
      doctor: true,
      ledger: true,
    },
    config: [
      inProfile(
        asMap("query parameters to add", "the value", "="),
        byName((pair) => nameBefore(pair, "=")),
      ),
    ],
    journal: keptNames("=", (name) => `--query ${name}=...`),
    mended: SECRET,
  }),
  allowHttp: option({
    ...TARGET,
    form: flag(),
    help: "allow plain http to another machine: the token travels unencrypted",
    config: NOT_IN_CONFIG,
  }),
  ...NETWORK_OPTIONS,
  sandbox: option({
    ...TARGET,
    form: flag(),
    help: "push to a service inside this process, and show what it then holds",
    commands: {
      push: true,
      plan: refused(
        "it ends with its process, and the shards are others",
        "rec-push sandbox serves until it is stopped: plan with the --url and token that it prints",
      ),
    },
    config: NOT_IN_CONFIG,
    journal: NOT_KEPT,
  }),
};

/** The name before the sign of a `name=value` or `Name: value`. */
export function nameBefore(pair: string, sign: string): string {
  return pair.slice(0, pair.indexOf(sign)).trim();
}

function checkHeader(name: string, value: string): void {
  const header = parseHeader(`${name}:${value}`);
  if (header.name !== "authorization" && header.name !== "access_token") return;
  throw new RecPushError("usage", "token-in-config", TOKEN_PLACE);
}

/** Throws a usage error for anything that is not a URL. */
function parseUrls(given: readonly string[], option: string): readonly string[] {
  return parseList(given, option).map((url) => {
    if (URL.canParse(url) && /^https?:/i.test(url)) return url;
    throw new RecPushError(
      "usage",
      "bad-option-value",
      `${option}: a URL, whose text is not shown, because it may hold a password, is not a base URL`,
      {
        hint: `${option} https://old.example.com/api`,
      },
    );
  });
}
