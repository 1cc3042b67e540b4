import { parseList } from "../fields/field-rule-texts.ts";
import { RecPushError } from "../model/failure.ts";
import { parseHeader } from "../send/request-headers.ts";
import { AS_LIST, asMap, asText, byName, inProfile, option, REPLACE } from "./declaration.ts";
import {
  asGiven,
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
    config: [inProfile(asText(), REPLACE)],
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
    form: unwritten(asGiven<string>),
    help: "client id for auth oauth2 (or REC_PUSH_CLIENT_ID)",
    commands: {},
    environment: "REC_PUSH_CLIENT_ID",
    config: [inProfile(asText(), REPLACE)],
    mended: LEFT_OUT,
  }),
  clientSecretFile: option({
    ...CREDENTIAL,
    form: unwritten(asGiven<string>),
    help: "file that holds the client secret (or REC_PUSH_CLIENT_SECRET, REC_PUSH_CLIENT_SECRET_FILE)",
    commands: {},
    environment: "REC_PUSH_CLIENT_SECRET_FILE",
    config: [inProfile(asText(), REPLACE)],
    journal: KEPT_PATH,
    mended: LEFT_OUT,
  }),
  clientSecretCommand: option({
    ...CREDENTIAL,
    form: unwritten(asGiven<string>),
    help: "command that prints the client secret (or REC_PUSH_CLIENT_SECRET_COMMAND)",
    commands: {},
    environment: "REC_PUSH_CLIENT_SECRET_COMMAND",
    config: [inProfile(asText(), REPLACE)],
    mended: LEFT_OUT,
  }),
  oauthTokenPath: option({
    ...CREDENTIAL,
    form: unwritten(asGiven<string>),
    help: "where auth oauth2 gets its tokens, below the URL (default: /api/oauth2/access_token/)",
    commands: {},
    config: [inProfile(asText(), REPLACE)],
    mended: LEFT_OUT,
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
  ca: option({
    ...NETWORK,
    form: text("<file>", asGiven<string>),
    help: "PEM file of the authorities to trust in place of the usual ones",
    config: [inProfile(asText(), REPLACE)],
    journal: KEPT_PATH,
  }),
  cert: option({
    ...NETWORK,
    form: text("<file>", asGiven<string>),
    help: "PEM file of the client certificate, if the service wants one",
    config: [inProfile(asText(), REPLACE)],
    journal: KEPT_PATH,
  }),
  key: option({
    ...NETWORK,
    form: text("<file>", asGiven<string>),
    help: "PEM file of its key, if that is not in the same file",
    config: [inProfile(asText(), REPLACE)],
    journal: KEPT_PATH,
  }),
};

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
    config: [inProfile(asText(), REPLACE)],
  }),
  sameAs: option({
    ...TARGET,
    form: unwritten(parseUrls),
    help: "former base URLs of this service: what was created there counts as created here",
    commands: {},
    config: [inProfile(AS_LIST, REPLACE)],
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
        asMap(": ", checkHeader),
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
        asMap("="),
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

/** Reads URLs between commas. Throws a usage error for anything that is not one. */
function parseUrls(given: string, key: string): readonly string[] {
  return parseList([given], key).map((url) => {
    if (URL.canParse(url) && /^https?:/i.test(url)) return url;
    throw new RecPushError(
      "usage",
      "bad-option-value",
      `${key}: a URL, whose text is not shown, because it may hold a password, is not a base URL`,
      { hint: `"${key}": ["https://old.example.com/api"], in the profile` },
    );
  });
}
