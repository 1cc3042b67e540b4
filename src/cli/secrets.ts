const HIDDEN = "***";
/** Shorter ones would be found by chance inside ordinary words, so they are hidden only where they stand alone. */
const SHORTEST_FOUND_ANYWHERE = 8;

/**
 * Makes a function that hides secrets in strings which come from the service, from errors, headers and URLs: in plain,
 * URL-encoded and base64 form. Secrets of fewer than eight characters are hidden only as whole values.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const long = new Set<string>();
  const short = new Set<string>();
  for (const secret of secrets) {
    for (const form of formsOf(secret)) {
      if (form === "") continue;
      (secret.length < SHORTEST_FOUND_ANYWHERE ? short : long).add(form);
    }
  }
  // The longest first, so that a secret inside a longer one does not leave the rest of that readable.
  const ordered = [...long].sort((a, b) => b.length - a.length);
  return (text) => {
    let hidden = text;
    for (const form of ordered) hidden = hidden.replaceAll(form, HIDDEN);
    for (const form of short) hidden = hidden.replace(wholeValue(form), `$1${HIDDEN}`);
    return hidden;
  };
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const encoded = encodeURIComponent(secret);
  return [
    secret,
    encoded,
    encoded.replaceAll("%20", "+"),
    bytes.toString("base64"),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
  ];
}

function wholeValue(text: string): RegExp {
  const literal = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(^|[^\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, "gu");
}
