/** Shown in place of a text that repeats a part of a secret. */
export const HIDDEN = "(hidden: it repeats a secret)";

/** So many characters of a secret in a row give it away. */
const PART = 6;
/** The characters in base64 that six bytes take. */
const PART_IN_BASE64 = 8;
/** Nobody encodes a text more often. */
const MOST_ENCODINGS = 12;

/**
 * Makes a function for texts that come from the service, from a proxy or from the network. A text that repeats six
 * characters of a secret in a row is hidden as a whole: in plain form or in base64, in capitals or not, with other white
 * space, and encoded as URLs, JSON and HTML do, however often. A shorter secret is found where it stands alone.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets.filter((secret) => secret.trim() !== ""))];
  const parts = partsOf(known.map(fold), PART);
  const inBase64 = partsOf(known.flatMap(base64Forms), PART_IN_BASE64);
  const short = known.filter((secret) => fold(secret).length < PART).map(standingAlone);
  const repeats = (text: string): boolean =>
    holdsPart(fold(text), parts, PART) ||
    holdsPart(asBase64(text), inBase64, PART_IN_BASE64) ||
    short.some((pattern) => pattern.test(text));
  // A service says the same of most batches.
  let last = { text: "", shown: "" };
  return (text) => {
    if (text === last.text) return last.shown;
    last = { text, shown: decodings(text).some(repeats) ? HIDDEN : text };
    return last.shown;
  };
}

/** The same for secrets to which new ones may be added later. */
export function createGrowingRedactor(secrets: () => readonly string[]): (text: string) => string {
  let known: readonly string[] = [];
  let redact = createRedactor(known);
  return (text) => {
    const now = secrets();
    if (now.length !== known.length || now.some((secret, at) => secret !== known[at])) {
      known = now;
      redact = createRedactor(known);
    }
    return redact(text);
  };
}

/** A text as it is, and with its encodings undone once, twice, and so on. */
function decodings(text: string): string[] {
  const all = [text];
  for (let now = decode(text); now !== all.at(-1) && all.length < MOST_ENCODINGS; now = decode(now))
    all.push(now);
  return all;
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
