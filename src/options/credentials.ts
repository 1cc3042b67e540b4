import {
  asGiven,
  DECIDES_NOTHING,
  KEPT,
  KEPT_PATH,
  LEFT_OUT,
  NO_VARIABLE,
  NOT_PINNED,
  REPEATED,
  text,
  unwritten,
} from "./answers.ts";
import { asText, inProfile, REPLACE } from "./config-key.ts";
import { option } from "./declaration.ts";

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
export const CREDENTIAL_OPTIONS = {
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
