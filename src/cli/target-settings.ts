import { RecPushError } from "../model/failure.ts";
import { given } from "../options/given.ts";
import { OPTIONS, type OptionValues } from "../options/table.ts";
import { createTarget, type Target, type TargetOptions } from "../send/target.ts";
import type { CredentialPlaces } from "./credentials/credential-places.ts";
import { findClientSecret, findToken } from "./credentials/find-secret.ts";
import type { Io } from "./io.ts";
import { networkOf } from "./network/network-of.ts";

/** The address and credentials of a sandbox in this process, which replace the user's. */
export interface SandboxAddress {
  readonly url: string;
  readonly token: string;
  readonly client: { readonly id: string; readonly secret: string };
}

/**
 * Makes a target from the options of the group "Target". The places of secrets in `values` are only those of the
 * command line. Throws a usage error.
 */
export async function readTarget(
  values: OptionValues,
  table: string,
  env: Io["env"],
  sandbox: SandboxAddress | undefined,
  places: CredentialPlaces,
): Promise<Target> {
  if (sandbox === undefined) refuseUnverified(env);
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
    ...(await credentialsOf(values, env, sandbox, places)),
    isTokenPublic: sandbox !== undefined,
    ...given({
      headers,
      query,
      body,
      allowHttp,
      dbVersion,
      dbVersionIn,
      auth: auth === "oauth2" ? undefined : auth,
      network: sandbox === undefined ? await networkOf(values, env, url, places.notice) : undefined,
    }),
  });
}

/** Node obeys the variable of its own process, whatever environment a program passes. */
function refuseUnverified(env: Io["env"]): void {
  const name = "NODE_TLS_REJECT_UNAUTHORIZED";
  if (env[name] !== "0" && process.env[name] !== "0") return;
  throw new RecPushError(
    "usage",
    "unverified-certificates",
    `${name}=0 turns the check of certificates off: any machine could pass for the service and take the token`,
    { hint: "unset it; --ca FILE trusts the authority that signed the certificate of the service" },
  );
}

async function credentialsOf(
  values: OptionValues,
  env: Io["env"],
  sandbox: SandboxAddress | undefined,
  places: CredentialPlaces,
): Promise<Pick<TargetOptions, "token" | "tokenFrom" | "client">> {
  if (values.auth !== "oauth2") {
    if (sandbox !== undefined) return { token: sandbox.token };
    const { secret, from } = await findToken(values, env, places);
    return { token: secret, tokenFrom: from };
  }
  const { clientId, oauthTokenPath } = values;
  if (sandbox !== undefined) return { client: sandbox.client };
  if (clientId === undefined) {
    throw new RecPushError("usage", "missing-client", "--auth oauth2 needs a client id", {
      hint: "set REC_PUSH_CLIENT_ID, or give it with --client-id; the secret goes into REC_PUSH_CLIENT_SECRET",
    });
  }
  const { secret, from } = await findClientSecret(values, env, places);
  return { client: { id: clientId, secret, secretFrom: from, ...given({ tokenPath: oauthTokenPath }) } };
}
