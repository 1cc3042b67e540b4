import type iconv from "iconv-lite";

declare const require: (name: string) => unknown;

/** In place of the one that looks for the package; the bundler puts it in. */
export function requireIconv(): typeof iconv {
  return require("iconv-lite") as typeof iconv;
}
