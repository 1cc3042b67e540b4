import { flagsOf, TABLE } from "../options/table.ts";
import { createMessageRedactor } from "./message-redactor.ts";
import { createRedactor } from "./secrets.ts";

const SECRET_FLAGS = TABLE.filter(({ declaration }) => declaration.mended.kind === "secret").flatMap(flagsOf);
const TABLE_FLAGS = TABLE.filter(({ name }) => name === "table").flatMap(flagsOf);

/**
 * Finds the values on a command line and in its environment that may be secret: the token, the client's secret,
 * passwords of proxies, the values of -H and --query. For errors that are thrown before the target is known.
 */
export function secretsOnLine(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const values = valuesOf(argv, SECRET_FLAGS).map((pair) => pair.replace(/^[^:=]*[:=]\s*/, "").trim());
  const inVariables = [env["REC_PUSH_TOKEN"]?.trim() ?? "", env["REC_PUSH_CLIENT_SECRET"]?.trim() ?? ""];
  // @FILE only says where the headers are, and may be shown.
  return [...inVariables, ...proxyPasswords(env), ...values].filter(
    (value) => value !== "" && !value.startsWith("@"),
  );
}

/** The user and password in the addresses of proxies, as written and decoded. */
function proxyPasswords(env: Readonly<Record<string, string | undefined>>): string[] {
  return ["http_proxy", "https_proxy", "all_proxy"]
    .flatMap((name) => [env[name], env[name.toUpperCase()]])
    .flatMap((address) => /^(?:[a-z0-9+.-]+:\/\/)?([^/]*)@/i.exec(address ?? "")?.[1] ?? [])
    .flatMap((pair) => [pair, pair.slice(pair.indexOf(":") + 1)]);
}

/** Hides the values of {@link secretsOnLine} in a message, except the table's name. */
export function redactorForLine(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  return createMessageRedactor(secretsOnLine(argv, env), valuesOf(argv, TABLE_FLAGS));
}

/** The texts that an option was given on a command line. */
function valuesOf(argv: readonly string[], flags: readonly string[]): string[] {
  return argv.flatMap((argument, at) => {
    const equals = argument.indexOf("=");
    if (!flags.includes(equals < 0 ? argument : argument.slice(0, equals))) return [];
    return [equals < 0 ? (argv[at + 1] ?? "") : argument.slice(equals + 1)];
  });
}

/** Removes the value of an unknown option from commander's message: it may be a misplaced token. */
export function withoutUnknownValue(text: string): string {
  return text.replace(/(unknown option '-[^'=]*)=[^\n]*'/g, "$1=…'");
}

/** Hides the secrets in the message and stack of a defect of rec-push; its other properties are not shown. */
export function hideInFault(error: unknown, secrets: readonly string[]): Error {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = stack.split("\n");
  // The lines after the message only name our own files and functions.
  const frames = lines.findLastIndex((line) => !line.startsWith("    at ")) + 1;
  const redact = createRedactor(secrets);
  const hidden = new Error(redact(error instanceof Error ? error.message : String(error)));
  const message = redact(lines.slice(0, frames).join("\n"));
  hidden.stack = [message, ...lines.slice(frames).map(createMessageRedactor(secrets, []))].join("\n");
  return hidden;
}
