import { open } from "node:fs/promises";
import { RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/shell-word.ts";
import { readEnvironment } from "../options/environment.ts";
import { OPTIONS } from "../options/table.ts";
import type { Io } from "./io.ts";

/** The place of the token in a profile of the config. */
export interface TokenDefaults {
  /** Absolute. */
  readonly tokenFile?: string;
  /** An environment variable. */
  readonly tokenEnv?: string;
  /** The profile and its config, for messages. */
  readonly from?: string;
  /** Gets a warning about a token that can be used all the same. */
  readonly notice?: (text: string) => void;
}

/**
 * The access token: from `--token-file`, else `REC_PUSH_TOKEN`, else `REC_PUSH_TOKEN_FILE`, else the profile. It is never
 * an argument, which other users of the machine could read. Throws {@link RecPushError} of kind `usage` without a token.
 */
export async function findToken(
  tokenFile: string | undefined,
  env: Io["env"],
  profile: TokenDefaults,
): Promise<string> {
  const { notice } = profile;
  if (tokenFile !== undefined) return readTokenFile(tokenFile, "--token-file", notice);
  const token = env["REC_PUSH_TOKEN"]?.trim();
  if (token) return checkToken(token, "REC_PUSH_TOKEN");
  const { tokenFile: file } = readEnvironment(env);
  if (typeof file === "string") return readTokenFile(file, OPTIONS.tokenFile.environment!, notice);
  if (profile.tokenFile !== undefined)
    return readTokenFile(profile.tokenFile, profile.from ?? "the config", notice);
  if (profile.tokenEnv !== undefined)
    return profileToken(profile.tokenEnv, env, profile.from ?? "the config");
  throw new RecPushError("usage", "missing-token", "no access token", {
    hint: "set REC_PUSH_TOKEN, or name a file that holds the token with --token-file",
  });
}

function profileToken(name: string, env: Io["env"], from: string): string {
  const token = env[name]?.trim();
  if (token) return checkToken(token, name);
  const variable = isVariable(name) ? name : "the variable that tokenEnv names";
  const mistaken = isVariable(name) ? "" : "; its name is not shown, as it may be the token itself";
  throw new RecPushError(
    "usage",
    "missing-token",
    `no access token: ${variable} is not set (${from} names it)${mistaken}`,
    { hint: `set ${variable} in the environment; tokenEnv never holds the token itself` },
  );
}

/** Words joined by underscores, as people name variables; tokens are longer or have signs and digits inside. */
function isVariable(name: string): boolean {
  return /^[A-Za-z]{1,15}(_[A-Za-z]{1,15}|_\d{1,3})*$/.test(name);
}

async function readTokenFile(
  file: string,
  from: string,
  notice: TokenDefaults["notice"] = () => undefined,
): Promise<string> {
  let text: string;
  let mode: number;
  try {
    const handle = await open(file);
    try {
      mode = process.platform === "win32" ? 0 : (await handle.stat()).mode;
      text = await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    const name = mayBeToken(file) ? `whose name is not shown, as it may be the token itself` : file;
    throw new RecPushError("usage", "token-file", `cannot read the token file ${name} (${from}): ${code}`, {
      hint: "name a file that holds the token; the token itself goes into REC_PUSH_TOKEN",
      cause,
    });
  }
  if ((mode & 0o002) !== 0) {
    throw new RecPushError(
      "usage",
      "token-file-writable",
      `everyone on this machine can write the token file ${file}, and so choose whose account the records go to`,
      { hint: `chmod 600 ${quoteWord(file)}, and look whether it still holds your token` },
    );
  }
  if ((mode & 0o004) !== 0) {
    notice(
      `everyone on this machine can read the token file ${file}; chmod 600 ${quoteWord(file)} makes it private`,
    );
  }
  const token = text.replace(/^\uFEFF/, "").trim();
  if (token === "")
    throw new RecPushError("usage", "token-file", `the token file ${file} (${from}) is empty`);
  return checkToken(token, from);
}

/** Long, without a directory and without an ending: a token given instead of its file must not appear in a log. */
function mayBeToken(file: string): boolean {
  return file.length >= 16 && !/[/\\]|\.[A-Za-z]{1,5}$/.test(file);
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
