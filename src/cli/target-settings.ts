import { RecPushError } from "../model/failure.ts";
import { given } from "../options/given.ts";
import { OPTIONS, type OptionValues } from "../options/table.ts";
import { createTarget, type Target } from "../send/target.ts";
import type { Io } from "./io.ts";
import { findToken, type TokenDefaults } from "./token.ts";

/** The address and token of a sandbox in this process, which replace the user's. */
export interface SandboxAddress {
  readonly url: string;
  readonly token: string;
}

/** The options of the group "Target" as a target. `values.tokenFile` is that of the command line alone. Throws usage. */
export async function readTarget(
  values: OptionValues,
  table: string,
  env: Io["env"],
  sandbox: SandboxAddress | undefined,
  token: TokenDefaults,
): Promise<Target> {
  const url = sandbox?.url ?? values.url;
  if (url === undefined || url === "") {
    throw new RecPushError("usage", "missing-url", "no service to push to", {
      hint: `name its base URL with --url or ${OPTIONS.url.environment}; --sandbox pushes to a rehearsal service in this process`,
    });
  }
  const { auth, httpHeader: headers, query, body, allowHttp, dbVersion, dbVersionIn } = values;
  return createTarget({
    url,
    table,
    token: sandbox?.token ?? (await findToken(values.tokenFile, env, token)),
    isTokenPublic: sandbox !== undefined,
    ...given({ auth, headers, query, body, allowHttp, dbVersion, dbVersionIn }),
  });
}
