import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AppliedRecord } from "../chaos-service.ts";
import type { Counters } from "../counters.ts";
import { createdOf } from "../judge-world.ts";
import type { ChaosRow } from "../rows.ts";

/** The rows of a plan and what became of them. */
export interface Judgement {
  readonly rows: readonly ChaosRow[];
  readonly applied: readonly AppliedRecord[];
  /** The numbers of creates that may be missing: each was named as in doubt, or belongs to a shard whose state is lost. */
  readonly mayBeMissing: ReadonlySet<string>;
  /** The directory with the files of refused rows, of the plan's shards and of the push after it. */
  readonly directory: string;
}

/** Compares the rows of the file with what the service received, and with the files of rejects; nothing else counts. */
export async function judgePlan(
  { rows, applied, mayBeMissing, directory }: Judgement,
  counters: Counters,
): Promise<void> {
  const created = createdOf(applied);
  const held = new Set(created);
  const values = new Map(applied.flatMap(({ key, number }) => (key === undefined ? [] : [[key, number]])));
  const wanted = new Map<string, string>();
  const rejected = await rejectedNumbers(directory);
  counters.twice += created.length - held.size;
  for (const { key, number, isBad } of rows) {
    if (isBad) counters.lost += rejected.has(number) || mayBeMissing.has(number) ? 0 : 1;
    else if (key !== undefined) wanted.set(key, number);
    else if (!held.has(number) && !mayBeMissing.has(number)) counters.lost += 1;
  }
  for (const [key, number] of wanted) if (values.get(key) !== number) counters.staleKeys += 1;
}

/** The numbers of the rows in all files of rejects below a directory. */
export async function rejectedNumbers(directory: string): Promise<ReadonlySet<string>> {
  const names = await readdir(directory, { recursive: true });
  const paths = names.filter((name) => /rejects[^/]*\.csv$/.test(name));
  const texts = await Promise.all(paths.map((name) => readFile(join(directory, name), "utf8")));
  return new Set(texts.flatMap((text) => [...text.matchAll(/,(1\d{5}),/g)].map(([, number = ""]) => number)));
}
