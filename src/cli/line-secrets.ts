import { flagsOf, TABLE } from "../options/table.ts";

const SECRET_FLAGS = TABLE.filter(({ declaration }) => declaration.mended === "secret").flatMap(flagsOf);

/**
 * Finds the values on a command line and in its environment that may be secret: the token, the client's secret,
 * passwords of proxies, the values of -H and --query. For the text of an unexpected fault.
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
  const redact = createRedactor(() => secrets);
  const hidden = new Error(redact(error instanceof Error ? error.message : String(error)));
  const message = redact(lines.slice(0, frames).join("\n"));
  hidden.stack = [message, ...lines.slice(frames)].join("\n");
  return hidden;
}

/** Shown in place of a text that repeats a part of a secret. */
export const HIDDEN = "(hidden: it repeats a secret)";

/** So many characters of a secret in a row give it away. */
const PART = 6;
/** The characters in base64 that six bytes take. */
const PART_IN_BASE64 = 8;

/**
 * Makes a function for texts that come from the service, from a proxy or from the network. A text that repeats six
 * characters of a secret in a row is hidden as a whole: in plain form or in base64, in capitals or not, with other white
 * space, and encoded as URLs, JSON and HTML do, one in another too. A shorter secret is found where it stands alone.
 * `secrets` is asked each time: a new token may have come.
 */
export function createRedactor(secrets: () => readonly string[]): (text: string) => string {
  let known: readonly string[] = [];
  let repeats = findRepeats([]);
  // A service says the same of most batches.
  let last = { text: "", shown: "" };
  return (text) => {
    const now = secrets();
    const isKnown = now.length === known.length && now.every((secret, at) => secret === known[at]);
    if (isKnown && text === last.text) return last.shown;
    if (!isKnown) repeats = findRepeats(now);
    known = now;
    const once = decode(text);
    last = { text, shown: [text, once, decode(once)].some(repeats) ? HIDDEN : text };
    return last.shown;
  };
}

/** Makes a function that is true for a text with a part of a secret in it. */
function findRepeats(secrets: readonly string[]): (text: string) => boolean {
  const known = [...new Set(secrets.filter((secret) => secret.trim() !== ""))];
  const parts = partsOf(known.map(fold), PART);
  const inBase64 = partsOf(known.flatMap(base64Forms), PART_IN_BASE64);
  const short = known.filter((secret) => fold(secret).length < PART).map(standingAlone);
  return (text) =>
    holdsPart(fold(text), parts, PART) ||
    holdsPart(asBase64(text), inBase64, PART_IN_BASE64) ||
    short.some((pattern) => pattern.test(text));
}

const ESCAPE =
  /((?:%[\da-f]{2})+)|\\u([\da-f]{4})|\\([^\da-z\s])|&#x0*([\da-f]{1,6});|&#0*(\d{1,7});|&(amp|lt|gt|quot|apos);/gi;
const NAMED = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** Undoes the escapes of URLs (`%2F`), JSON (`\u002f`, `\/`) and HTML (`&#47;`, `&amp;`) once. */
function decode(text: string): string {
  return text.replace(ESCAPE, (written: string, bytes, unit, sign, hex, decimal, name) => {
    if (bytes !== undefined) return Buffer.from(String(bytes).replaceAll("%", ""), "hex").toString();
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(String(unit), 16));
    if (sign !== undefined) return String(sign);
    if (name !== undefined) return NAMED.get(String(name).toLowerCase())!;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0x10ffff ? written : String.fromCodePoint(code);
  });
}

/** What is left of a text that may be written in capitals, with other white space, or with `+` for it as in URLs. */
function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[\s+\\]+/g, "");
}

/** A text in which base64 is found in both of its alphabets. */
function asBase64(text: string): string {
  return text.replaceAll("-", "+").replaceAll("_", "/").replaceAll(/\s+/g, "");
}

/** A secret in base64 at each place within a group of three bytes, without the characters that depend on its neighbours. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const behind = Buffer.concat([Buffer.alloc(before), bytes]);
    return behind.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((behind.length * 8) / 6));
  });
}

function partsOf(texts: readonly string[], length: number): ReadonlySet<string> {
  const parts = new Set<string>();
  for (const text of texts)
    for (let at = 0; at + length <= text.length; at += 1) parts.add(text.slice(at, at + length));
  return parts;
}

function holdsPart(text: string, parts: ReadonlySet<string>, length: number): boolean {
  if (parts.size === 0) return false;
  for (let at = 0; at + length <= text.length; at += 1)
    if (parts.has(text.slice(at, at + length))) return true;
  return false;
}

function standingAlone(secret: string): RegExp {
  const literal = secret.trim().replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])${literal}(?![\p{L}\p{N}_])`, "iu");
}
