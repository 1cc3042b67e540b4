import { AS_TEXTS, asGiven, flag, negated, ONCE, text, texts } from "./answers.ts";
import { option } from "./declaration.ts";
import { parseBytes, parseLimit, parsePort } from "./parse-quantity.ts";

/** Options of the command `sandbox`, which pushes nothing. */
const SANDBOX = {
  ...ONCE,
  commands: { sandbox: true },
} as const;

/** The group "Options" of the command `sandbox`. */
export const SANDBOX_OPTIONS = {
  port: option({
    ...SANDBOX,
    form: text("<number>", parsePort),
    help: "port to listen on; 0 takes a free one (default: 8700)",
  }),
  host: option({
    ...SANDBOX,
    form: text("<address>", asGiven<string>),
    help: "address to listen on (default: 127.0.0.1)",
  }),
  allowRemote: option({
    ...SANDBOX,
    form: flag(),
    help: "listen on an address that other machines can reach",
  }),
  token: option({
    ...SANDBOX,
    form: text("<text>", asGiven<string>),
    help: "the token it accepts; for rehearsals, never a real one (default: sandbox)",
  }),
  dbVersions: option({
    ...SANDBOX,
    form: text("<list>", splitList),
    help: "database versions it accepts; by default none is required",
  }),
  tables: option({
    ...SANDBOX,
    form: text("<list>", splitList),
    help: "tables that exist; by default any table does",
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
  bodyLimit: option({ ...SANDBOX, form: text("<bytes>", parseBytes), help: "answer 413 above this size" }),
  fault: option({
    ...SANDBOX,
    form: texts("<rule>", AS_TEXTS, asGiven<readonly string[]>),
    help: "misbehave, as the rules below say; may be repeated",
  }),
  atomic: option({
    ...SANDBOX,
    form: negated(),
    help: "apply the records of a batch that come before a bad one",
  }),
};

function splitList(list: string): readonly string[] {
  return list.split(",").map((part) => part.trim());
}
