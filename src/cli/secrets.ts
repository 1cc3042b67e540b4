const HIDDEN = "***";
/** Shorter ones would be found by chance inside ordinary words, so they are hidden only where they stand alone. */
const SHORTEST_FOUND_ANYWHERE = 8;

/**
 * Makes a function that hides secrets in strings which come from the service, from errors, headers and URLs: in plain and
 * base64 form, also inside a longer base64 text, and each as URLs, JSON and HTML may write it. Secrets of fewer than
 * eight characters are hidden only as whole values.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const found = new Set<string>();
  for (const secret of secrets) {
    if (secret === "") continue;
    if (secret.length < SHORTEST_FOUND_ANYWHERE)
      wholeForms(secret).forEach((form) =>
        found.add(`(?<![\\p{L}\\p{N}_])${writings(form)}(?![\\p{L}\\p{N}_])`),
      );
    else [...wholeForms(secret), ...innerForms(secret)].forEach((form) => found.add(writings(form)));
  }
  // The longest first, so that a secret inside a longer one does not leave the rest of that readable.
  const patterns = [...found].sort((a, b) => b.length - a.length).map((source) => new RegExp(source, "gu"));
  return (text) => patterns.reduce((hidden, pattern) => hidden.replace(pattern, HIDDEN), text);
}

function wholeForms(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64");
  const url = Buffer.from(secret).toString("base64url");
  return [secret, base64, base64.replace(/=+$/, ""), url];
}

/** What base64 makes of the secret behind other text: without the characters that its neighbours decide too. */
function innerForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const behind = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((behind.length * 8) / 6);
    return [behind.toString("base64").slice(from, to), behind.toString("base64url").slice(from, to)];
  });
}

/** The source of a pattern that finds a text however its signs are written. */
function writings(text: string): string {
  return Array.from(text, writingsOf).join("");
}

const NAMED: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

function writingsOf(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return character;
  const percent = [...Buffer.from(character)].map((byte) => `%(?:25)*${anyCase(byte, 2)}`).join("");
  const json = Array.from(
    { length: character.length },
    (_, at) => `\\\\u${anyCase(character.charCodeAt(at), 4)}`,
  ).join("");
  const code = character.codePointAt(0) ?? 0;
  const html = [
    `#0*${code}`,
    `#[xX]0*${anyCase(code, 1)}`,
    ...(NAMED[character] === undefined ? [] : [NAMED[character]]),
  ];
  const plain = character === " " ? "\\s+|\\+" : `\\\\?\\u{${code.toString(16)}}`;
  return `(?:${plain}|${percent}|${json}|&(?:${html.join("|")});)`;
}

/** A number in hexadecimal digits, capital or not. */
function anyCase(value: number, digits: number): string {
  return value
    .toString(16)
    .padStart(digits, "0")
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
