import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { showText, splitWords } from "../model/text.ts";
import { given } from "../options/declaration.ts";
import { flagOf, OPTIONS, type OptionValues } from "../options/table.ts";
import { type Certificates, chooseProxy, type Network, PLAIN_NETWORK } from "../send/network/network.ts";
import { defaultSendSettings, type SendSettings } from "../send/settings.ts";
import { createTarget, type Target, type TargetOptions } from "../send/target.ts";
import { createRedactor } from "./line-secrets.ts";
import { readTrustedFile } from "./trusted-file.ts";
import type { Io } from "./run-settings.ts";
import { readVersion } from "./version.ts";

/** Where the options of a target come from. */
interface TargetSource {
  /** The options on the command line itself. */
  readonly line: OptionTexts;
  readonly env: Io["env"];
  /** The profile and its config, or the run, which say what line and environment do not; for messages. */
  readonly from?: string | undefined;
  /** Called with a warning about a secret that can be used nevertheless. */
  readonly notice?: ((text: string) => void) | undefined;
}

/** Makes a target from the options of the group "Target". Throws a usage error. */
export async function readTarget(values: OptionValues, table: string, source: TargetSource): Promise<Target> {
  const { env } = source;
  refuseUnverified(env);
  const { url } = values;
  if (url === undefined || url === "") {
    const token = hasSecret(values, env) ? "" : ", and no access token";
    throw new RecPushError("missing-url", `no service to push to${token}`, {
      hint: `rec-push login asks for its URL and its token, and keeps them; or name them: --url or ${OPTIONS.url.environment}, and ${TOKEN.variable} or --token-file\n--sandbox pushes to a rehearsal service in this process`,
    });
  }
  return createTarget({
    ...formOf(values),
    url,
    table,
    ...(await credentialsOf(values, source)),
    network: await networkOf(values, env, url, source.notice),
  });
}

/** Makes the target of a sandbox in this process, whose address and token replace the user's. Throws a usage error. */
export function sandboxTarget(
  values: OptionValues,
  table: string,
  sandbox: { readonly url: string; readonly token: string },
): Target {
  return createTarget({ ...formOf(values), ...sandbox, table, isTokenPublic: true });
}

/** The form of requests, by the options. */
function formOf(values: OptionValues): Omit<TargetOptions, "url" | "table"> {
  const { auth, httpHeader: headers, query, body, allowHttp, dbVersion, dbVersionIn } = values;
  const how = auth === "oauth2" ? undefined : auth;
  return given({ headers, query, body, allowHttp, dbVersion, dbVersionIn, auth: how });
}

/** Node obeys the variable of its own process, whatever environment a program passes. */
function refuseUnverified(env: Io["env"]): void {
  const name = "NODE_TLS_REJECT_UNAUTHORIZED";
  if (env[name] !== "0" && process.env[name] !== "0") return;
  throw new RecPushError(
    "unverified-certificates",
    `${name}=0 turns the check of certificates off: any machine could pass for the service and take the token`,
    { hint: "unset it; --ca FILE trusts the authority that signed the certificate of the service" },
  );
}

async function credentialsOf(
  values: OptionValues,
  source: TargetSource,
): Promise<Pick<TargetOptions, "token" | "tokenFrom" | "client">> {
  if (values.auth !== "oauth2") {
    const { secret, from } = await findSecret(TOKEN, values, source);
    return { token: secret, tokenFrom: from };
  }
  const { clientId, oauthTokenPath } = values;
  if (clientId === undefined) {
    throw new RecPushError("missing-token", "--auth oauth2 needs a client id", {
      hint: 'set REC_PUSH_CLIENT_ID, or "clientId" in the profile; the secret goes into REC_PUSH_CLIENT_SECRET',
    });
  }
  const { secret, from } = await findSecret(CLIENT_SECRET, values, source);
  return { client: { id: clientId, secret, secretFrom: from, ...given({ tokenPath: oauthTokenPath }) } };
}

/**
 * How a URL is reached, by options and environment; files are read only if an option names them. Throws a usage error.
 */
async function networkOf(
  { ca, cert, key }: OptionValues,
  env: Io["env"],
  url: string,
  notice: ((text: string) => void) | undefined,
): Promise<Network> {
  // An invalid URL is refused when the target is made.
  const proxy = URL.canParse(url) ? chooseProxy(new URL(url), env) : undefined;
  if (ca === undefined && cert === undefined) return { ...PLAIN_NETWORK, proxy };
  return { proxy, certificates: await readCertificates(given({ ca, cert, key }), notice) };
}

/**
 * Reads the files of `--ca`, `--cert` and `--key`, and checks whether TLS can use them, so that nothing fails later with another
 * message. Throws a usage error.
 */
async function readCertificates(
  { ca, cert, key }: Pick<OptionValues, "ca" | "cert" | "key">,
  notice: (text: string) => void = () => undefined,
): Promise<Certificates> {
  // Most commands need neither.
  const [{ X509Certificate }, { createSecureContext }] = await Promise.all([
    import("node:crypto"),
    import("node:tls"),
  ]);
  const trusted = ca === undefined ? undefined : await readPem(ca, "--ca");
  // TLS itself passes over what is no certificate there.
  if (trusted !== undefined) checkUse(`the certificates in ${ca} (--ca)`, () => new X509Certificate(trusted));
  if (cert === undefined) return { ca: trusted, own: undefined };
  const ofCert = await readPem(cert, "--cert", key === undefined ? notice : undefined);
  const ofKey = key === undefined ? ofCert : await readPem(key, "--key", notice);
  const files = key === undefined ? `${cert} (--cert)` : `${cert} (--cert) with the key in ${key} (--key)`;
  checkUse(`the certificate in ${files}`, () => createSecureContext({ cert: ofCert, key: ofKey }));
  return { ca: trusted, own: { cert: ofCert, key: () => ofKey } };
}

function readPem(path: string, option: string, notice?: (text: string) => void): Promise<string> {
  const name = `${path} (${option})`;
  return readTrustedFile({ path, name, code: "bad-certificate-file", encoding: "latin1", notice });
}

function checkUse(what: string, use: () => unknown): void {
  try {
    use();
  } catch (cause) {
    const why = (cause as Error).message.split("::").at(-1);
    throw new RecPushError("bad-certificate-file", `${what} cannot be used: ${why}`, {
      hint: "TLS wants PEM, with lines of -----BEGIN, and a key without passphrase that belongs to the certificate: openssl x509 -inform der -in FILE and openssl pkey -in FILE make them",
    });
  }
}

/** A secret that a push needs, and the options and variables that lead to it. */
interface Wanted {
  readonly noun: "token" | "client secret";
  readonly variable: string;
  readonly file: "tokenFile" | "clientSecretFile";
  readonly command: "tokenCommand" | "clientSecretCommand";
  readonly isValid: (text: string) => boolean;
}

const TOKEN: Wanted = {
  noun: "token",
  variable: "REC_PUSH_TOKEN",
  file: "tokenFile",
  command: "tokenCommand",
  // It is sent in a header (RFC 9110, 5.5). Quotes and the scheme were copied with it: no service has such tokens.
  isValid: (text) => /^(?!["']|(?:authorization: *)?bearer\s)[\x21-\x7e]+( [\x21-\x7e]+)*$/i.test(text),
};

const CLIENT_SECRET: Wanted = {
  noun: "client secret",
  variable: "REC_PUSH_CLIENT_SECRET",
  file: "clientSecretFile",
  command: "clientSecretCommand",
  isValid: (text) => /^\P{Cc}+$/u.test(text),
};

/**
 * A secret, and where it came from, such as `the file token.txt (--token-file)`: from the file or command on the command line,
 * else its variable, else the file or command that the environment or the profile names. It is never an argument, because other
 * users of the machine could read that. Throws a usage error without one.
 */
async function findSecret(
  wanted: Wanted,
  values: OptionValues,
  { line, env, from = "the config", notice }: TargetSource,
): Promise<{ readonly secret: string; readonly from: string }> {
  const { noun, variable, file, command, isValid } = wanted;
  const valid = (secret: string, source: string): string => {
    if (isValid(secret)) return secret;
    throw new RecPushError("bad-token", `the ${noun} in ${source} is not the ${noun} alone`, {
      hint: "it must be one line of ASCII letters, digits and signs, without quotes around it and without Bearer",
    });
  };
  const inVariable = env[variable]?.trim();
  if (inVariable && line[file] === undefined && line[command] === undefined)
    return { secret: valid(inVariable, variable), from: variable };
  const name = values[file] === undefined ? command : file;
  const { [name]: text } = values;
  if (text === undefined)
    throw new RecPushError("missing-token", noun === "token" ? "no access token" : `no ${noun}`, {
      hint: `rec-push login asks for it and keeps it; or set ${variable}, name a file that holds it with ${flagOf(file, OPTIONS[file])}, or a command that prints it with ${flagOf(command, OPTIONS[command])}`,
    });
  const { environment = "" } = OPTIONS[name];
  const named = env[environment] ? environment : from;
  const source = line[name] === undefined ? named : flagOf(name, OPTIONS[name]);
  if (name === command) {
    const secret = valid(await runSecretCommand(text, noun, source, env), source);
    return { secret, from: `the command ${showText(splitWords(text)[0] ?? "")} (${source})` };
  }
  const read = await readTrustedFile({
    path: text,
    name: `the ${noun} file ${showText(text, 400)} (${source})`,
    nameIfMissing: `the ${noun} file (${source})`,
    code: "bad-token",
    hint: `name a file that holds the ${noun}; the ${noun} itself goes into ${variable}`,
    notice: notice ?? (() => undefined),
  });
  return { secret: valid(read.trim(), source), from: `the file ${showText(text, 400)} (${source})` };
}

/** True if something says where the secret of a push is. */
function hasSecret(values: OptionValues, env: Io["env"]): boolean {
  const { variable, file, command } = values.auth === "oauth2" ? CLIENT_SECRET : TOKEN;
  return [values[file], values[command], env[variable]?.trim()].some(Boolean);
}

/** Long enough for a password manager that has to ask the user. */
const COMMAND_MS = 60_000;
/** No secret comes near this length. */
const MOST_OUTPUT_BYTES = 64 * 1024;

/**
 * The first line that a command prints, without outer spaces: password managers put notes below it. The words of the
 * command are separated by spaces and quotes, without a shell. Its standard output is never shown. Throws a usage
 * error.
 */
async function runSecretCommand(line: string, noun: string, source: string, env: Io["env"]): Promise<string> {
  const [program = "", ...rest] = splitWords(line);
  const fail = (why: string): RecPushError =>
    new RecPushError("bad-token", `no ${noun} from the command ${showText(program)} (${source}): ${why}`, {
      hint: "run it by hand: it must print the secret on its first line and end with 0; pipes and variables need a script, because the command is not run by a shell",
    });
  if (program === "") throw fail("it is empty");
  // Most commands need none.
  const { execFile } = await import("node:child_process");
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      program,
      rest,
      { env, timeout: COMMAND_MS, maxBuffer: MOST_OUTPUT_BYTES, killSignal: "SIGKILL", windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const { code, killed = false } = error;
        const how = killed ? `it did not end within ${COMMAND_MS / 1000} s` : `it ended with ${code}`;
        const said = stderr.trim().split(/\r?\n/, 1)[0] ?? "";
        reject(fail(said === "" ? how : `${how}: ${showText(said, 200)}`));
      },
    );
    // The command gets no standard input, which may hold the rows.
    child.stdin?.on("error", () => undefined).end();
  });
  const secret = (output.split(/\r?\n/, 1)[0] ?? "").trim();
  if (secret === "") throw fail("its first line is empty");
  return secret;
}

/** Opens what sends to a target, with the options of the group "Sending". */
export async function openSession(target: Target, values: OptionValues, areCreatesProven: boolean) {
  const { createSendSession } = await import("../send/send-session.ts");
  return createSendSession({ target, settings: sendSettingsOf(values, target), areCreatesProven });
}

/** Converts the options of the group "Sending" to settings. */
function sendSettingsOf(values: OptionValues, target: Target): SendSettings {
  const { batchSize, batchBytes, compress, concurrency, retries, maxFailed } = values;
  const { safeStatus, atomicBatches, okMsg: okMessages } = values;
  return {
    ...defaultSendSettings,
    redact: createRedactor(target.secrets),
    userAgent: `rec-push/${readVersion()}`,
    ...given({ batchSize, batchBytes, compress, retries, maxFailed, safeStatus, atomicBatches, okMessages }),
    ...given({
      concurrency: concurrency === "auto" ? undefined : concurrency,
      hasKeys: values.idempotencyKey,
      timeoutMs: values.timeout,
      maxWaitMs: values.maxWait,
      ratePerSecond: values.rate,
      lateMs: values.late,
    }),
  };
}
