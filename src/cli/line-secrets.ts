const SECRET_OPTION = /^(?:-H|--http-header|--query)(?:=|$)/;

/**
 * What may be secret on a command line and in its environment, for errors from before the target is known: the token,
 * the values of -H and --query.
 */
export function secretsOnLine(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const pairs = argv.flatMap((argument, at) => {
    if (!SECRET_OPTION.test(argument)) return [];
    const equals = argument.indexOf("=");
    return [equals < 0 ? (argv[at + 1] ?? "") : argument.slice(equals + 1)];
  });
  const values = pairs.map((pair) => pair.replace(/^[^:=]*[:=]\s*/, "").trim());
  return [env["REC_PUSH_TOKEN"]?.trim() ?? "", ...values].filter((value) => value !== "");
}

/** What commander quotes of an option that it does not know, without the value: it may be a token at the wrong place. */
export function withoutUnknownValue(text: string): string {
  return text.replace(/(unknown option '-[^'=]*)=[^\n]*'/g, "$1=…'");
}

/** A fault of rec-push without secrets: message and stack are all that is ever shown of it. */
export function hideInFault(error: unknown, redact: (text: string) => string): Error {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const hidden = new Error(redact(error instanceof Error ? error.message : String(error)));
  hidden.stack = redact(stack);
  return hidden;
}
