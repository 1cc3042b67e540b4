import fc from "fast-check";

/** Ways in which a service, a proxy or a log may write a text. */
export const WRITINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  url: encodeURIComponent,
  form: (text) => new URLSearchParams({ a: text }).toString().slice(2),
  "url, every byte": (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  json: (text) => JSON.stringify(text).slice(1, -1),
  "json of PHP": (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll("/", "\\/")
      .replace(/[^\0-~]/g, (unit) => `\\u${hex(unit.charCodeAt(0))}`),
  "json, every unit": (text) =>
    text
      .split("")
      .map((unit) => `\\u${hex(unit.charCodeAt(0)).toUpperCase()}`)
      .join(""),
  html: (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
  "html, every character": (text) =>
    Array.from(text, (character) => `&#x0${hex(character.codePointAt(0) ?? 0)};`).join(""),
};

/** Secrets of at least eight characters, made of characters that have a meaning in URLs, JSON, HTML, base64 or patterns. */
export const drawSecret = fc
  .array(
    fc.constantFrom(
      ..." +%\\&/\"'<>;#=-_.*([^$?{|é€😀ab425Aunx01".split(/(?:)/u),
      "   ",
      "%2",
      "%2F",
      "\\u0",
      "\\n",
      "amp;",
      "&lt;",
    ),
    { minLength: 8, maxLength: 20 },
  )
  .map((parts) => parts.join(""))
  .filter((secret) => /[^ +]/.test(secret));

function hex(code: number): string {
  return code.toString(16).padStart(4, "0");
}
