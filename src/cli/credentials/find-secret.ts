import { RecPushError } from "../../model/failure.ts";
import { splitWords } from "../../model/shell-word.ts";
import { showText } from "../../model/visible-text.ts";
import { readEnvironment } from "../../options/environment.ts";
import { OPTIONS } from "../../options/table.ts";
import type { Io } from "../io.ts";
import type { CredentialPlaces } from "./credential-places.ts";
import { readSecretFile } from "./read-secret-file.ts";

/** A secret that a push needs, and the options and variables that lead to it. */
interface Wanted {
  readonly noun: string;
  readonly variable: string;
  readonly file: "tokenFile" | "clientSecretFile";
  readonly command: "tokenCommand" | "clientSecretCommand";
  readonly isValid: (text: string) => boolean;
}

const TOKEN: Wanted = {
  noun: "access token",
  variable: "REC_PUSH_TOKEN",
  file: "tokenFile",
  command: "tokenCommand",
  // It is sent in a header (RFC 9110, 5.5).
  isValid: (text) => /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text),
};

const CLIENT_SECRET: Wanted = {
  noun: "client secret",
  variable: "REC_PUSH_CLIENT_SECRET",
  file: "clientSecretFile",
  command: "clientSecretCommand",
  isValid: (text) => !/\p{Cc}/u.test(text),
};

/** A secret, and where it came from, for the message that refuses it. */
export interface FoundSecret {
  readonly secret: string;
  /** `REC_PUSH_TOKEN`, `the file token.txt (--token-file)` */
  readonly from: string;
}

/** The places given on the command line itself. */
type OnLine = Pick<CredentialPlaces, Wanted["file"] | Wanted["command"]>;

/**
 * The access token: from the file or command on the command line, else `REC_PUSH_TOKEN`, else the file or command named
 * in the environment, else the profile. It is never an argument, because other users of the machine could read that.
 * Throws {@link RecPushError} of kind `usage` without a token.
 */
export function findToken(onLine: OnLine, env: Io["env"], places: CredentialPlaces): Promise<FoundSecret> {
  return findSecret(TOKEN, onLine, env, places);
}

/** The client secret of OAuth 2.0, looked up in the same way as the token. */
export function findClientSecret(
  onLine: OnLine,
  env: Io["env"],
  places: CredentialPlaces,
): Promise<FoundSecret> {
  return findSecret(CLIENT_SECRET, onLine, env, places);
}

async function findSecret(
  wanted: Wanted,
  onLine: OnLine,
  env: Io["env"],
  places: CredentialPlaces,
): Promise<FoundSecret> {
  const { noun, variable, file, command } = wanted;
  const { notice = () => undefined, from = "the config", tokenEnv } = places;
  const ofFile = async (path: string, source: string): Promise<FoundSecret> => ({
    secret: check(await readSecretFile(path, wanted, source, notice), source, wanted),
    from: `the file ${showText(path, 400)} (${source})`,
  });
  const ofCommand = async (line: string, source: string): Promise<FoundSecret> => {
    const { runSecretCommand } = await import("./run-secret-command.ts");
    const secret = check(await runSecretCommand(line, wanted, source, env), source, wanted);
    return { secret, from: `the command ${showText(splitWords(line)[0] ?? "")} (${source})` };
  };
  const { [file]: fileOnLine, [command]: commandOnLine } = onLine;
  if (fileOnLine !== undefined) return ofFile(fileOnLine, flagOf(file));
  if (commandOnLine !== undefined) return ofCommand(commandOnLine, flagOf(command));
  const inVariable = env[variable]?.trim();
  if (inVariable) return { secret: check(inVariable, variable, wanted), from: variable };
  const { [file]: fileInEnv, [command]: commandInEnv } = readEnvironment(env);
  if (typeof fileInEnv === "string") return ofFile(fileInEnv, OPTIONS[file].environment!);
  if (typeof commandInEnv === "string") return ofCommand(commandInEnv, OPTIONS[command].environment!);
  const { [file]: fileInPlace, [command]: commandInPlace } = places;
  if (fileInPlace !== undefined) return ofFile(fileInPlace, from);
  if (commandInPlace !== undefined) return ofCommand(commandInPlace, from);
  if (wanted === TOKEN && tokenEnv !== undefined) return ofVariable(tokenEnv, env, from);
  throw new RecPushError("usage", "missing-token", `no ${noun}`, {
    hint: `set ${variable}, name a file that holds it with ${flagOf(file)}, or a command that prints it with ${flagOf(command)}`,
  });
}

function ofVariable(name: string, env: Io["env"], from: string): FoundSecret {
  const token = env[name]?.trim();
  const variable = isVariable(name) ? name : "the variable that tokenEnv names";
  if (token) return { secret: check(token, name, TOKEN), from: `${variable} (${from} names it)` };
  const mistaken = isVariable(name) ? "" : "; its name is not shown, because it may be the token itself";
  throw new RecPushError(
    "usage",
    "missing-token",
    `no access token: ${variable} is not set (${from} names it)${mistaken}`,
    { hint: `set ${variable} in the environment; tokenEnv never holds the token itself` },
  );
}

/** True for words joined by underscores, as variables are named; tokens are longer, or contain signs and digits. */
function isVariable(name: string): boolean {
  return /^[A-Za-z]{1,15}(_[A-Za-z]{1,15}|_\d{1,3})*$/.test(name);
}

function check(text: string, source: string, { noun, isValid }: Wanted): string {
  const around = noun === "access token" ? wrapping(text) : undefined;
  if (around !== undefined) {
    throw new RecPushError("usage", "token-characters", `the token in ${source} ${around}`, {
      hint: "leave that out: the token alone is wanted",
    });
  }
  if (isValid(text)) return text;
  throw new RecPushError(
    "usage",
    "token-characters",
    `the ${noun.replace("access ", "")} in ${source} holds characters that no ${noun === "client secret" ? "form" : "header"} can carry`,
    { hint: "it must be one line of ASCII letters, digits and signs" },
  );
}

/** What was copied with the token, and would be sent with it: no service has tokens like that (RFC 6750, 2.1). */
function wrapping(text: string): string | undefined {
  if (/^(?:authorization: *)?bearer\s/i.test(text))
    return 'begins with "Bearer", which is added when it is sent';
  return /^(["'])[^"']*\1$/.test(text) ? "is between quotes" : undefined;
}

function flagOf(name: Wanted["file"] | Wanted["command"]): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
