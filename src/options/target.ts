import { RecPushError } from "../model/failure.ts";
import { parseHeader } from "../send/request-headers.ts";
import {
  asGiven,
  byName,
  choice,
  flag,
  IN_PROFILE,
  type Items,
  KEPT,
  option,
  PAIRS,
  replaceUnless,
  text,
  texts,
} from "./declaration.ts";

/** Where the records go. A run keeps it; a config that was only found must not set it. */
const TARGET = {
  ...KEPT,
  group: "Target:",
  commands: { push: true, plan: true, doctor: true, ledger: true },
  config: IN_PROFILE,
} as const;

/**
 * Where secrets and certificates are, which depends on the machine: a resume may say it anew. A run keeps these places and
 * never a secret.
 */
const PLACE = {
  ...TARGET,
  form: text("<file>", asGiven<string>),
  commands: { push: true, plan: true, resume: true, doctor: true, ledger: true },
  journal: "path",
} as const;

/** Places that only a profile or a variable has. */
const IN_PROFILE_ONLY = {
  ...TARGET,
  form: text("<text>", asGiven<string>),
  commands: {},
  mended: "leftOut",
} as const;

/** Why a config holds no token. */
export const TOKEN_PLACE =
  'a token must not be in the config: put it into a file that "tokenFile" names, or name a command that prints it with "tokenCommand"';

/** Why a config holds no client secret. */
export const SECRET_PLACE =
  'a client secret must not be in the config: put it into a file that "clientSecretFile" names, or into REC_PUSH_CLIENT_SECRET';

/** Of two places of a secret, that with priority counts. */
const instead = (other: string) => ({ merge: replaceUnless((more) => more[other] !== undefined) });

const HEADERS: Items = { kind: "pairs", sign: ": ", split: "first" };

export const TARGET_OPTIONS = {
  table: option({
    ...TARGET,
    form: text("<name>", asGiven<string>, { short: "-t" }),
    help: "the table to push to",
    commands: { ...TARGET.commands, check: true, init: true, runs: "only the runs on this table" },
    config: [],
    // The table is one of the run's own facts.
    journal: "nothing",
  }),
  url: option({
    ...TARGET,
    commands: {
      ...TARGET.commands,
      check: "base URL of the service: earlier pushes to it are compared, too",
      login: true,
    },
    form: text("<url>", asGiven<string>, { short: "-u" }),
    help: "base URL of the service (or REC_PUSH_URL)",
    environment: "REC_PUSH_URL",
  }),
  tokenFile: option({
    ...PLACE,
    ...instead("tokenCommand"),
    commands: { ...PLACE.commands, login: true },
    help: "file that holds the access token (or REC_PUSH_TOKEN, REC_PUSH_TOKEN_FILE)",
    environment: "REC_PUSH_TOKEN_FILE",
  }),
  tokenCommand: option({
    ...PLACE,
    ...instead("tokenFile"),
    commands: { ...PLACE.commands, login: true },
    form: text("<command>", asGiven<string>),
    help: "command that prints the access token, run without a shell (or REC_PUSH_TOKEN_COMMAND)",
    environment: "REC_PUSH_TOKEN_COMMAND",
    journal: "text",
  }),
  clientId: option({
    ...IN_PROFILE_ONLY,
    help: "client id for auth oauth2 (or REC_PUSH_CLIENT_ID)",
    environment: "REC_PUSH_CLIENT_ID",
  }),
  clientSecretFile: option({
    ...IN_PROFILE_ONLY,
    ...instead("clientSecretCommand"),
    help: "file that holds the client secret (or REC_PUSH_CLIENT_SECRET, REC_PUSH_CLIENT_SECRET_FILE)",
    environment: "REC_PUSH_CLIENT_SECRET_FILE",
    journal: "path",
  }),
  clientSecretCommand: option({
    ...IN_PROFILE_ONLY,
    ...instead("clientSecretFile"),
    help: "command that prints the client secret (or REC_PUSH_CLIENT_SECRET_COMMAND)",
    environment: "REC_PUSH_CLIENT_SECRET_COMMAND",
  }),
  oauthTokenPath: option({
    ...IN_PROFILE_ONLY,
    help: "where auth oauth2 gets its tokens, below the URL (default: /api/oauth2/access_token/)",
  }),
  auth: option({
    ...TARGET,
    commands: { ...TARGET.commands, login: true },
    form: choice("<how>", ["both", "access_token", "bearer", "oauth2"]),
    help: "how the token is sent (default: both); oauth2 fetches it with client id and secret",
  }),
  dbVersion: option({
    ...TARGET,
    commands: { ...TARGET.commands, login: true },
    form: text("<version>", asGiven<string>),
    help: "database version the service asks for",
  }),
  dbVersionIn: option({
    ...TARGET,
    commands: { ...TARGET.commands, login: true },
    form: text("<place>", asGiven<string>),
    help: "header:NAME, query:NAME or body:NAME (default: header:database_version)",
  }),
  body: option({
    ...TARGET,
    form: choice("<shape>", ["array", "data"]),
    help: 'a bare array of records (the default) or {"data": [...]}',
  }),
  httpHeader: option({
    ...TARGET,
    form: texts("<header>", HEADERS, asGiven<readonly string[]>, "-H"),
    help: 'an HTTP header to add, "Name: value"; @FILE: those in a file (or REC_PUSH_HEADERS_FILE), one per line',
    commands: { ...TARGET.commands, resume: true },
    environment: "REC_PUSH_HEADERS_FILE",
    config: [{ place: "profile", key: "headers", form: texts("", HEADERS, checkHeaders) }],
    merge: byName(":", (name) => name.toLowerCase()),
    journal: { sign: ":", show: (name) => `-H "${name}: ..."` },
    mended: "secret",
  }),
  query: option({
    ...TARGET,
    form: texts("<name=value>", PAIRS, asGiven<readonly string[]>),
    help: "a query parameter to add",
    commands: { ...TARGET.commands, check: true, resume: true },
    merge: byName("="),
    journal: { sign: "=", show: (name) => `--query ${name}=...` },
    mended: "secret",
  }),
  allowHttp: option({
    ...TARGET,
    commands: { ...TARGET.commands, login: true },
    form: flag(),
    help: "allow plain http to another machine: the token travels unencrypted",
    config: [],
  }),
  ca: option({ ...PLACE, help: "PEM file of the authorities to trust in place of the usual ones" }),
  cert: option({ ...PLACE, help: "PEM file of the client certificate, if the service wants one" }),
  key: option({ ...PLACE, help: "PEM file of its key, if that is not in the same file" }),
  sandbox: option({
    ...TARGET,
    form: flag(),
    help: "push to a service inside this process, and show what it then holds",
    commands: { push: true },
    config: [],
    journal: "nothing",
  }),
};

/** Throws a usage error for a header that carries the token, or that cannot be sent. */
function checkHeaders(headers: readonly string[]): void {
  for (const { name } of headers.map(parseHeader))
    if (name === "authorization" || name === "access_token")
      throw new RecPushError("bad-config", TOKEN_PLACE);
}
