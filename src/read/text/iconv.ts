import type iconv from "iconv-lite";
import { requireIconv } from "./iconv-module.ts";

let loaded: typeof iconv | undefined;

/** iconv-lite, loaded the first time an encoding other than UTF-8 is met. */
export function loadIconv(): typeof iconv {
  loaded ??= withEuroInMacRoman(requireIconv());
  return loaded;
}

/** Apple replaced the currency sign with the euro sign in 1998; iconv-lite still has the former. */
function withEuroInMacRoman(codecs: typeof iconv): typeof iconv {
  // iconv-lite loads its tables when it is first asked for one.
  codecs.encodingExists("utf-8");
  const macRoman = codecs.encodings?.["macroman"];
  if (typeof macRoman === "object") macRoman["chars"] = String(macRoman["chars"]).replace("¤", "€");
  return codecs;
}
