import { createRequire } from "node:module";
import type iconv from "iconv-lite";

/** iconv-lite, loaded where an encoding other than UTF-8 is first met. */
export function loadIconv(): typeof iconv {
  return createRequire(import.meta.url)("iconv-lite") as typeof iconv;
}
