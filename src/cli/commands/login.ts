import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EXIT, SIGNAL_EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { quoteText, quoteWord, showText } from "../../model/text.ts";
import { given } from "../../options/declaration.ts";
import { readValues } from "../../options/read-values.ts";
import { replaceFile } from "../../store/private-file.ts";
import { chooseLetter } from "../ask/dialogue.ts";
import { loadOrBegin, ownConfigPath, writeConfig } from "../config/config-files.ts";
import type { ProfileSection } from "../config/read-config.ts";
import type { CommandLine } from "../command-line.ts";
import type { Asker, Io } from "../run-settings.ts";
import { readTarget } from "../target-settings.ts";
import { examineTarget, NO_TABLE, tellFindings } from "./doctor.ts";

/** What a login settles: the profile, and a secret that was typed. */
interface Login {
  readonly profile: ProfileSection;
  readonly secret?: string | undefined;
}

/** `rec-push login [PROFILE]`: asks for URL and credentials, tries them, and keeps them in the user's own config. */
export async function runLogin({ files: [name = "default"], options }: CommandLine, io: Io): Promise<number> {
  if (!/^[\w-][\w.-]*$/.test(name))
    throw new RecPushError("bad-option-value", `a profile cannot be named ${quoteText(name)}`, {
      hint: "use letters, digits, points, hyphens and underscores: its secret is kept in a file of that name",
    });
  const path = ownConfigPath(io.env);
  const { config } = await loadOrBegin({ path, origin: "own" }, io.env);
  const values = readValues(options);
  const { url, auth, tokenFile, tokenCommand, dbVersion, dbVersionIn, allowHttp } = values;
  const said = given({ url, auth, tokenFile, tokenCommand, dbVersion, dbVersionIn });
  const asker = await io.openAsker?.();
  if (asker === undefined)
    throw new RecPushError("wrong-usage", "rec-push login asks, and nobody is at a terminal", {
      hint: `set REC_PUSH_URL and REC_PUSH_TOKEN, or write a profile into ${showText(path, 400)}`,
    });
  const login = await askFor(said, asker);
  if (login === undefined) {
    io.stderr.write("nothing was written\n");
    return SIGNAL_EXIT.SIGINT;
  }
  const { profile, secret } = login;
  const isOauth = profile["auth"] === "oauth2";
  const tried = { ...profile, ...given({ allowHttp }) };
  const env = { ...io.env, ...(secret === undefined ? {} : { [isOauth ? CLIENT_SECRET : TOKEN]: secret }) };
  const target = await readTarget(tried, NO_TABLE, { line: options, env });
  const findings = await examineTarget(
    secret === undefined ? target : { ...target, tokenFrom: "the keyboard" },
  );
  tellFindings(findings, io);
  const wrong = findings.find(({ exitCode }) => exitCode !== undefined);
  if (wrong !== undefined) {
    io.stderr.write("nothing was written: the service did not accept this\n");
    return wrong.exitCode!;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const place =
    secret === undefined ? {} : { [isOauth ? "clientSecretFile" : "tokenFile"]: secretName(name) };
  if (secret !== undefined) await replaceFile(join(dirname(path), secretName(name)), `${secret}\n`, 0o600);
  const profiles = { ...config.profiles, [name]: { ...profile, ...place } };
  await writeConfig(path, { ...config, profiles }, 0o600);
  const kept =
    secret === undefined ? "" : `, and the secret into ${showText(secretName(name), 200)} beside it`;
  io.stdout.write(`wrote the profile ${showText(name)} into ${showText(path, 400)}${kept}\n`);
  const isChosen = Object.keys(profiles).length === 1 || name === "default";
  io.stdout.write(
    `push with: rec-push FILE --table NAME${isChosen ? "" : ` --profile ${quoteWord(name)}`}\n`,
  );
  return EXIT.ok;
}

/** `rec-push logout PROFILE`: removes a profile from the user's own config, with the secret that a login kept. */
export async function runLogout({ files: [name = ""] }: CommandLine, io: Io): Promise<number> {
  const path = ownConfigPath(io.env);
  const own = await loadOrBegin({ path, origin: "own" }, io.env);
  const { profiles = {}, ...config } = own.config;
  const { [name]: removed, ...others } = profiles;
  if (removed === undefined)
    throw new RecPushError("unknown-profile", `${path} has no profile ${name}`, {
      hint: `it has ${Object.keys(profiles).join(", ") || "none"}`,
    });
  await writeConfig(path, { ...config, profiles: others }, 0o600);
  const isOurs = [removed["tokenFile"], removed["clientSecretFile"]].includes(secretName(name));
  if (isOurs) await rm(join(dirname(path), secretName(name)), { force: true });
  io.stdout.write(`removed the profile ${showText(name)}${isOurs ? " and its secret" : ""}\n`);
  return EXIT.ok;
}

const TOKEN = "REC_PUSH_TOKEN";
const CLIENT_SECRET = "REC_PUSH_CLIENT_SECRET";

/** The file beside the config that holds the secret of a profile. */
function secretName(profile: string): string {
  return `${profile}.secret`;
}

/** Asks for what the options do not say; `undefined` if the person broke off. */
async function askFor(said: ProfileSection, asker: Asker): Promise<Login | undefined> {
  const url = said.url ?? (await asker.line("base URL of the service: "));
  if (url === undefined) return undefined;
  const isNamed = said["tokenFile"] !== undefined || said["tokenCommand"] !== undefined;
  let { auth } = said;
  if (auth === undefined && !isNamed) {
    const letter = await chooseLetter(asker, "a token (t), or an OAuth client with a secret (o)?", [
      "t",
      "o",
    ]);
    if (letter === undefined) return undefined;
    if (letter === "o") auth = "oauth2";
  }
  const clientId = auth === "oauth2" ? await asker.line("client id: ") : undefined;
  const noun = auth === "oauth2" ? "secret" : "token";
  const secret = isNamed ? undefined : await asker.line(`${noun}, which is not shown: `, { isHidden: true });
  if (!isNamed && (secret === undefined || secret === "")) return undefined;
  const asked = said["dbVersion"] ?? (await asker.line("database version (Enter: the service wants none): "));
  if (asked === undefined) return undefined;
  const dbVersion = asked === "" ? undefined : asked;
  return { secret, profile: { ...said, url, ...given({ auth, clientId, dbVersion }) } };
}
