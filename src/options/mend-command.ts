import { quoteWord } from "../model/shell-word.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import type { RejectsFile } from "../model/run-end.ts";
import type { SettledPush } from "./declaration.ts";
import { optionWords, spellOptions } from "./spell-options.ts";
import { flagOf, flagsOf, TABLE } from "./table.ts";

/** The command that pushes a mended rejects file: the options of the push, with everything that it settled pinned. */
export function mendCommand(
  { path, survey }: Pick<RejectsFile, "path" | "survey">,
  push: Omit<SettledPush, "survey">,
): string {
  const file = path.startsWith("-") ? `./${path}` : path;
  const words = [
    "rec-push",
    file,
    ...spellOptions(push.line, ({ mended }) => mended.kind === "repeated"),
    ...settledWords({ ...push, survey }),
  ];
  return words.map(quoteWord).join(" ");
}

/** The flags of the options that have to be given again by hand, because their values are secret. */
export function secretFlags(line: OptionTexts): readonly string[] {
  return TABLE.flatMap((entry) => {
    const isGiven = entry.declaration.mended.kind === "secret" && line[entry.name] !== undefined;
    return isGiven ? flagsOf(entry).slice(0, 1) : [];
  });
}

function settledWords(push: SettledPush): readonly string[] {
  return TABLE.flatMap(({ name, declaration }) => {
    const { mended } = declaration;
    if (mended.kind !== "settled") return [];
    return mended.settle(push).flatMap((text) => optionWords(flagOf(name, declaration), text));
  });
}
