import { readdirSync } from "node:fs";
import { resolve } from "node:path";

const WILD = /[*?]/;

/**
 * Replaces names with `*` or `?` by the files that match, in order of their names, as the shells of Unix do before a program
 * starts and those of Windows do not. A name without match stays, so that it is told as missing.
 */
export function expandGlobs(
  words: readonly string[],
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  if (platform !== "win32") return words;
  return words.flatMap((word) => {
    const found = WILD.test(word) ? expand("", word.split(/(?<=[\\/])/), cwd) : [];
    return found.length > 0 ? found : [word];
  });
}

/** `before` as it was typed, and the parts of the path after it, each with its separator. */
function expand(before: string, [part = "", ...rest]: readonly string[], cwd: string): string[] {
  if (!WILD.test(part)) return rest.length === 0 ? [before + part] : expand(before + part, rest, cwd);
  const [name = "", separator = ""] = part.split(/(?=[\\/]$)/);
  const pattern = new RegExp(
    `^${name
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
    "iu",
  );
  return entriesOf(resolve(cwd, before))
    .filter((entry) => pattern.test(entry.name) && (!entry.name.startsWith(".") || name.startsWith(".")))
    .filter((entry) => (rest.length === 0 ? !entry.isDirectory() : entry.isDirectory()))
    .flatMap((entry) => {
      const path = before + entry.name + separator;
      return rest.length === 0 ? [path] : expand(path, rest, cwd);
    });
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true }).toSorted((one, other) =>
      one.name < other.name ? -1 : 1,
    );
  } catch {
    return [];
  }
}
