import type { OptionTexts } from "../model/option-texts.ts";
import { type Merge, REPLACE } from "./config-key.ts";
import { given } from "./given.ts";
import { TABLE } from "./table.ts";

/** Merges the options of two sides; `more` has priority. */
export function mergeTexts(less: OptionTexts, more: OptionTexts): OptionTexts {
  const sides = { less, more };
  return given(
    Object.fromEntries(
      TABLE.map(({ name, declaration }) => {
        const merge: Merge = declaration.config[0]?.merge ?? REPLACE;
        return [name, merge(sides, name)];
      }),
    ),
  );
}
