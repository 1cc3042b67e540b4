import { parseList } from "../fields/field-rule-texts.ts";
import { RecPushError } from "../model/failure.ts";
import { parseProxy } from "../send/network/request-line.ts";
import { parseHeader } from "../send/request-headers.ts";
import { asList, asMap, asText, byName, inProfile, option, REPLACE } from "./declaration.ts";
import {
  asGiven,
  BETWEEN_COMMAS,
  choice,
  DECIDES_NOTHING,
  flag,
  KEPT,
  KEPT_PATH,
  keptNames,
  LEFT_OUT,
  NO_VARIABLE,
  NOT_IN_CONFIG,
  NOT_KEPT,
  NOT_PINNED,
  PAIRS,
  refused,
  REPEATED,
  SECRET,
  text,
  texts,
  unwritten,
} from "./output.ts";

/** Where secrets are. A run keeps these places and never a secret, and a resumed older run uses the newer place. */
const CREDENTIAL = {
  commands: { push: true, plan: true, resume: true, doctor: true, ledger: true },
  environment: NO_VARIABLE,
  journal: KEPT,
  records: DECIDES_NOTHING,
  mended: REPEATED,
  init: NOT_PINNED,
} as const;

/** The part of the group "Target" that says who we are. */
const CREDENTIAL_OPTIONS = {
  tokenFile: option({
    ...CREDENTIAL,
    form: text("<file>", asGiven<string>),
    help: "file that holds the access token (or REC_PUSH_TOKEN, REC_PUSH_TOKEN_FILE)",
    environment: "REC_PUSH_TOKEN_FILE",
    config: [inProfile(asText("file that holds the access token, relative to the config"), REPLACE)],
    journal: KEPT_PATH,
  }),
  tokenCommand: option({
    ...CREDENTIAL,
    form: text("<command>", asGiven<string>),
    help: "command that prints the access token, run without a shell (or REC_PUSH_TOKEN_COMMAND)",
    environment: "REC_PUSH_TOKEN_COMMAND",
    config: [inProfile(asText(), REPLACE)],
  }),
  tokenEnv: option({
    ...CREDENTIAL,
    form: unwritten(asGiven<string>),
    help: "name of the environment variable that holds the access token",
    commands: {},
    config: [inProfile(asText(), REPLACE)],
    mended: LEFT_OUT,
  }),
  clientId: option({
    ...CREDENTIAL,
    form: text("<id>", asGiven<string>),
    help: "client id for --auth oauth2 (or REC_PUSH_CLIENT_ID)",
    environment: "REC_PUSH_CLIENT_ID",
    config: [inProfile(asText("client id for auth oauth2"), REPLACE)],
  }),
  clientSecretFile: option({
    ...CREDENTIAL,
    form: text("<file>", asGiven<string>),
    help: "file that holds the client secret (or REC_PUSH_CLIENT_SECRET, REC_PUSH_CLIENT_SECRET_FILE)",
    environment: "REC_PUSH_CLIENT_SECRET_FILE",
    config: [inProfile(asText("file that holds the client secret, relative to the config"), REPLACE)],
    journal: KEPT_PATH,
  }),
  clientSecretCommand: option({
    ...CREDENTIAL,
    form: text("<command>", asGiven<string>),
    help: "command that prints the client secret (or REC_PUSH_CLIENT_SECRET_COMMAND)",
    environment: "REC_PUSH_CLIENT_SECRET_COMMAND",
    config: [inProfile(asText(), REPLACE)],
  }),
  oauthTokenPath: option({
    ...CREDENTIAL,
    form: text("<path>", asGiven<string>),
    help: "where --auth oauth2 gets its tokens, below --url (default: /api/oauth2/access_token/)",
    config: [inProfile(asText(), REPLACE)],
  }),
};

/** How the service is reached, which depends on the network that a machine is in. */
const NETWORK = {
  commands: { push: true, plan: true, resume: true, doctor: true, ledger: true },
  environment: NO_VARIABLE,
  journal: KEPT,
  records: DECIDES_NOTHING,
  mended: REPEATED,
  init: NOT_PINNED,
} as const;

/** The part of the group "Target" that says how it is reached. */
const NETWORK_OPTIONS = {
  proxy: option({
    ...NETWORK,
    form: text("<url>", parseProxyOption),
    help: "HTTP proxy to go through, or none (default: HTTPS_PROXY, HTTP_PROXY, NO_PROXY)",
    config: [inProfile(asText("HTTP proxy to go through to the service, or none"), REPLACE)],
  }),
  ca: option({
    ...NETWORK,
    form: text("<file>", asGiven<string>),
    help: "PEM file of the authorities to trust in place of the usual ones",
    config: [inProfile(asText("PEM file of the authorities to trust, relative to the config"), REPLACE)],
    journal: KEPT_PATH,
  }),
  cert: option({
    ...NETWORK,
    form: text("<file>", asGiven<string>),
    help: "PEM file of the client certificate, if the service wants one",
    config: [inProfile(asText("PEM file of the client certificate, relative to the config"), REPLACE)],
    journal: KEPT_PATH,
  }),
  key: option({
    ...NETWORK,
    form: text("<file>", asGiven<string>),
    help: "PEM file of its key, if that is not in the same file",
    config: [inProfile(asText("PEM file of its key, relative to the config"), REPLACE)],
    journal: KEPT_PATH,
  }),
};

/**
 * Others can read the command line, and configs get copied, so neither may contain a password. Throws a usage error.
 */
function parseProxyOption(address: string, name: string): string {
  if (address === "none") return address;
  if (parseProxy(address, name).authorization() === undefined) return address;
  throw new RecPushError(
    "usage",
    "bad-proxy",
    `${name} holds a user name or a password, which others could read`,
    {
      hint: "name the proxy in the environment instead: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT",
    },
  );
}

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
