import { cp, readdir, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Life, NightFile } from "./life.ts";
import { readFates } from "./read-fates.ts";

/** Damage other than deletion. Journals are not cut in half: that looks like the end that a crash leaves. */
const DAMAGES = [
  [/\/prints\/\d/, "half"],
  [/\/prints\/\d/, "empty"],
  [/\/journal$/, "empty"],
] as const;

/**
 * Pushes while a part of the state is lost: the push has to send nothing, or to be right. Then the part is restored from a
 * copy. Returns true if all is pushed.
 */
export async function loseParts(life: Life, files: readonly NightFile[]): Promise<boolean> {
  const { draw, service, stateHome } = life;
  const root = join(stateHome, "rec-push");
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const parts = names
    .filter((name) => /^tables\/[^/]+\/(?:runs|prints)/.test(name))
    .toSorted((one, other) => (one < other ? -1 : 1));
  if (parts.length === 0) return false;
  const copy = `${stateHome}.whole`;
  await cp(stateHome, copy, { recursive: true, preserveTimestamps: true });
  const part = draw.oneOf(parts);
  const { size, isDirectory } = await stat(join(root, part)).then((stats) => ({
    size: stats.size,
    isDirectory: stats.isDirectory(),
  }));
  const how = isDirectory
    ? "delete"
    : draw.oneOf(["delete", ...DAMAGES.filter(([of]) => of.test(part)).map(([, how]) => how)]);
  if (how === "delete") await rm(join(root, part), { recursive: true });
  else await truncate(join(root, part), how === "half" ? Math.floor(size / 2) : 0);
  life.say(`-- ${how} ${part}`);
  const arrivals = service.arrivals;
  service.calm();
  const results = `results-${life.day}-lost.ndjson`;
  const pushed = files.map(({ name }) => name);
  const end = await life.command(
    ["push", "--late", "0s", ...pushed, ...life.words(files[0]!), "--json", "--results", results],
    { files },
  );
  const isStopped = end.code === 1 || end.code === 3;
  if (isStopped) {
    if (service.arrivals !== arrivals) life.find("untold", `exit ${end.code}, and creates were sent`);
    await rm(stateHome, { recursive: true });
    await cp(copy, stateHome, { recursive: true, preserveTimestamps: true });
  } else {
    life.truth.judge(await readFates(life, files, end, results));
    // What was only damaged is replaced, and nothing else that the push wrote since.
    if (how !== "delete")
      await cp(join(copy, "rec-push", part), join(root, part), { preserveTimestamps: true });
    await cp(copy, stateHome, { recursive: true, force: false, preserveTimestamps: true });
  }
  await rm(copy, { recursive: true });
  return end.code === 0 || end.code === 4;
}
