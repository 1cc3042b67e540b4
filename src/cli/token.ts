import { readFile } from "node:fs/promises";
import { RecPushError } from "../model/failure.ts";
import type { Io } from "./io.ts";

/**
 * The access token: `--token-file`, else `REC_PUSH_TOKEN`, else `REC_PUSH_TOKEN_FILE`. Never an argument, which other
 * users of the machine could read. Throws {@link RecPushError} of kind `usage` where there is none.
 */
export async function findToken(tokenFile: string | undefined, env: Io["env"]): Promise<string> {
  if (tokenFile !== undefined) return readTokenFile(tokenFile, "--token-file");
  const token = env["REC_PUSH_TOKEN"]?.trim();
  if (token) return checkToken(token, "REC_PUSH_TOKEN");
  const file = env["REC_PUSH_TOKEN_FILE"];
  if (file) return readTokenFile(file, "REC_PUSH_TOKEN_FILE");
  throw new RecPushError("usage", "missing-token", "no access token", {
    hint: "set REC_PUSH_TOKEN, or name a file that holds the token with --token-file",
  });
}

async function readTokenFile(file: string, from: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new RecPushError("usage", "token-file", `cannot read the token file ${file} (${from}): ${code}`, {
      cause,
    });
  }
  const token = text.replace(/^\uFEFF/, "").trim();
  if (token === "")
    throw new RecPushError("usage", "token-file", `the token file ${file} (${from}) is empty`);
  return checkToken(token, from);
}

/** A token goes into a header, so it is one line of printable ASCII (RFC 9110 section 5.5). */
function checkToken(token: string, from: string): string {
  if (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(token)) return token;
  throw new RecPushError(
    "usage",
    "token-characters",
    `the token in ${from} holds characters that no header can carry`,
    {
      hint: "it must be one line of ASCII letters, digits and signs",
    },
  );
}
