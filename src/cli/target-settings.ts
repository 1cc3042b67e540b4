import { RecPushError } from "../model/failure.ts";
import { createTarget, type Target } from "../send/target.ts";
import type { Io } from "./io.ts";
import type { RawOptions } from "./program.ts";
import { given, isSet, textOf, textsOf } from "./raw-options.ts";
import { findToken, type TokenDefaults } from "./token.ts";

/** The address and token of a sandbox in this process, which stand in for the user's. */
export interface SandboxAddress {
  readonly url: string;
  readonly token: string;
}

/** What a profile of the config says of the target: behind option and environment. */
export interface TargetDefaults extends TokenDefaults {
  readonly url?: string;
}

/** The options of section "Target", with the environment and the profile behind them. Throws usage. */
export async function readTarget(
  options: RawOptions,
  table: string,
  env: Io["env"],
  sandbox: SandboxAddress | undefined,
  profile: TargetDefaults,
): Promise<Target> {
  const url = sandbox?.url ?? textOf(options, "url") ?? (env["REC_PUSH_URL"] || profile.url);
  if (url === undefined || url === "") {
    throw new RecPushError("usage", "missing-url", "no service to push to", {
      hint: "name its base URL with --url or REC_PUSH_URL; --sandbox pushes to a rehearsal service in this process",
    });
  }
  const auth = textOf(options, "auth");
  return createTarget({
    url,
    table,
    token: sandbox?.token ?? (await findToken(textOf(options, "tokenFile"), env, profile)),
    isTokenPublic: sandbox !== undefined,
    auth: auth === "access_token" || auth === "bearer" ? auth : "both",
    headers: textsOf(options, "httpHeader"),
    query: textsOf(options, "query"),
    body: textOf(options, "body") === "data" ? "data" : "array",
    allowHttp: isSet(options, "allowHttp"),
    ...given({ dbVersion: textOf(options, "dbVersion"), dbVersionIn: textOf(options, "dbVersionIn") }),
  });
}
