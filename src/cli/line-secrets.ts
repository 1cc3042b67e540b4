import { createMessageRedactor } from "./message-redactor.ts";
import { createRedactor } from "./secrets.ts";

const SECRET_OPTION = /^(?:-H|--http-header|--query)(?:=|$)/;
const TABLE_OPTION = /^(?:-t|--table)(?:=|$)/;

/**
 * What may be secret on a command line and in its environment, for errors from before the target is known: the token,
 * the values of -H and --query.
 */
export function secretsOnLine(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const values = valuesOf(argv, SECRET_OPTION).map((pair) => pair.replace(/^[^:=]*[:=]\s*/, "").trim());
  return [env["REC_PUSH_TOKEN"]?.trim() ?? "", ...values].filter((value) => value !== "");
}

/** Hides in a message what {@link secretsOnLine} finds. The table's name is no secret, whatever else is called so. */
export function redactorForLine(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  return createMessageRedactor(secretsOnLine(argv, env), valuesOf(argv, TABLE_OPTION));
}

/** The texts that an option was given on a command line. */
function valuesOf(argv: readonly string[], option: RegExp): string[] {
  return argv.flatMap((argument, at) => {
    if (!option.test(argument)) return [];
    const equals = argument.indexOf("=");
    return [equals < 0 ? (argv[at + 1] ?? "") : argument.slice(equals + 1)];
  });
}

/** What commander quotes of an option that it does not know, without the value: it may be a token at the wrong place. */
export function withoutUnknownValue(text: string): string {
  return text.replace(/(unknown option '-[^'=]*)=[^\n]*'/g, "$1=…'");
}

/** A fault of rec-push without secrets: message and stack are all that is ever shown of it. */
export function hideInFault(error: unknown, secrets: readonly string[]): Error {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = stack.split("\n");
  // The lines after the message name our own files and functions.
  const frames = lines.findLastIndex((line) => !line.startsWith("    at ")) + 1;
  const redact = createRedactor(secrets);
  const hidden = new Error(redact(error instanceof Error ? error.message : String(error)));
  const message = redact(lines.slice(0, frames).join("\n"));
  hidden.stack = [message, ...lines.slice(frames).map(createMessageRedactor(secrets, []))].join("\n");
  return hidden;
}
