import { lstat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { quoteWord } from "../../model/shell-word.ts";
import { isWithin } from "../../finish/asked-place.ts";
import { RecPushError } from "../../model/failure.ts";
import { showText } from "../../model/visible-text.ts";
import type { Config } from "./read-config.ts";

/**
 * Throws a usage error if a config that was only found puts rejects outside its own directory: rejects hold the user's
 * rows, and a cloned repository must not decide where these go.
 */
export async function refusePlaces({ tables = {} }: Config, path: string): Promise<void> {
  const home = dirname(path);
  for (const [table, { rejects }] of Object.entries(tables)) {
    if (typeof rejects !== "string" || (await isBelow(home, resolve(home, rejects)))) continue;
    throw new RecPushError(
      "usage",
      "rejects-in-found-config",
      `${showText(path, 400)} puts the rejects of ${showText(table)} outside its own directory, or through a link, but it was only found, here or in a parent directory`,
      {
        hint: `name a directory below it; or, if you trust the file, name it: --config ${showText(quoteWord(path), 400)} (or REC_PUSH_CONFIG)`,
      },
    );
  }
}

async function isBelow(home: string, place: string): Promise<boolean> {
  if (place !== home && !isWithin(home, place)) return false;
  for (let at = place; at !== home; at = dirname(at)) {
    const there = await lstat(at).catch(() => undefined);
    if (there?.isSymbolicLink() === true) return false;
  }
  return true;
}
