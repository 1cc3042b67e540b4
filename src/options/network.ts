import { RecPushError } from "../model/failure.ts";
import { parseProxy } from "../send/network/proxy.ts";
import {
  asGiven,
  DECIDES_NOTHING,
  KEPT,
  KEPT_PATH,
  NO_VARIABLE,
  NOT_PINNED,
  REPEATED,
  text,
} from "./answers.ts";
import { asText, inProfile, REPLACE } from "./config-key.ts";
import { option } from "./declaration.ts";

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
export const NETWORK_OPTIONS = {
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
