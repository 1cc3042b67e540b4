import { createRequire } from "node:module";
import type iconv from "iconv-lite";

/** Loads iconv-lite, at once and only when it is called. */
export function requireIconv(): typeof iconv {
  return createRequire(import.meta.url)("iconv-lite") as typeof iconv;
}
