import { createRequire } from "node:module";
import type iconv from "iconv-lite";

let loaded: typeof iconv | undefined;

/** iconv-lite, loaded when an encoding other than UTF-8 is first met. */
export function loadIconv(): typeof iconv {
  loaded ??= withEuroInMacRoman(createRequire(import.meta.url)("iconv-lite") as typeof iconv);
  return loaded;
}

/** Apple put the euro sign in the place of the currency sign in 1998; iconv-lite still has the latter. */
function withEuroInMacRoman(codecs: typeof iconv): typeof iconv {
  // It loads its tables with the first question.
  codecs.encodingExists("utf-8");
  const macRoman = codecs.encodings?.["macroman"];
  if (typeof macRoman === "object") macRoman["chars"] = String(macRoman["chars"]).replace("¤", "€");
  return codecs;
}
