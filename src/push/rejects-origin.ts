import { readdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { noteMended } from "../files/kept-place.ts";
import { findRejectsAt, findRejectsOf } from "../files/rows-place.ts";
import { areMended } from "../files/rows-to-mend.ts";
import { countingSources, type ExportsOptions, type LedgerSource } from "../ledger/exports-rule.ts";
import { isMarkerColumn } from "../model/marker-columns.ts";
import { quoteWord } from "../model/text.ts";
import { partOfRun, placesOf, runNameOf } from "../shards/shard-plan.ts";
import type { BookRun } from "../store/book-entries.ts";
import type { RunPlace } from "../store/close-finished.ts";
import { bookOf, pushesOf } from "../store/find-books.ts";
import type { RunIdentity } from "../store/run-facts.ts";
import { placesIn, type StateDirectory } from "../store/state-directory.ts";
import { type KeptRun, loadKept } from "../store/summarise-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** Where pushes to a target keep their runs, and the directory that relative paths start from. */
interface Keeping {
  readonly state: StateDirectory;
  readonly target: Omit<RunIdentity, "content">;
  readonly cwd: string;
}

type Input = Pick<SurveyedInput, "source" | "report">;

/**
 * The runs that left the rows of an input to be mended; `undefined` for a file of other rows. A file is known by its
 * place, also without its first columns, and a copy of it by these columns: any run of the last weeks may have left its
 * rows.
 */
export async function originsOf(input: Input, keeping: Keeping): Promise<readonly string[] | undefined> {
  const { columns, reading } = input.report;
  const own = await originAt(input, keeping);
  if (own !== undefined) return [await firstOrigin(own, keeping)];
  // JSON has no header.
  const names = [...reading.columns, ...columns.map(({ header }) => header)];
  if (!names.some((name) => isMarkerColumn(name.trim()))) return undefined;
  return (await findRejectsOf(keeping)).map(({ run }) => run);
}

/** The run that left rows first: rows that were mended in vain are as old as before. */
async function firstOrigin(origin: string, keeping: Keeping): Promise<string> {
  const { state, target, cwd } = keeping;
  const book = await bookOf(state, target);
  for (const seen = new Set([origin]); ; seen.add(origin)) {
    const run = book.run(origin);
    if (run?.isRowsFile !== true) return origin;
    const earlier = await findRejectsAt({ state, target }, resolve(cwd, run.file));
    if (earlier === undefined || seen.has(earlier)) return origin;
    origin = earlier;
  }
}

/** True for rows of another file, such as mended rejects: that file may be pushed again in whole. */
export async function isRowsFile(input: Input, keeping: Keeping): Promise<boolean> {
  return (await originsOf(input, keeping)) !== undefined;
}

/** Notes in the run that left the rows of an input that they are mended and pushed, as their file may be removed now. */
export async function noteMendedBy(input: Input, keeping: Keeping & Pick<RunPlace, "lock">): Promise<void> {
  const origin = await originAt(input, keeping);
  const left =
    origin === undefined ? undefined : await loadKept(keeping.state, origin).catch(() => undefined);
  if (left !== undefined && (await areMended(keeping.state, left))) await noteMended(keeping, left.run);
}

/** The sources that count for an input; `begunAt`: when the run that it continues began. */
export async function sourcesFor(
  sources: readonly LedgerSource[],
  exports: Pick<ExportsOptions, "exports">,
  input: Input,
  keeping: Keeping,
  begunAt?: string,
): Promise<readonly LedgerSource[]> {
  if (exports.exports !== "delta") return sources;
  const content = input.report.reading.fingerprint;
  // Rows that an earlier push of this file left, in doubt for instance, may have come in a later file.
  const [before] = await pushesOf(keeping.state, { ...keeping.target, content });
  const since = (await mendedSince(input, keeping)) ?? begunAt ?? before?.startedAt;
  return countingSources(sources, exports, { content, since });
}

/**
 * When the run began that left the rows of an input to be mended; empty if that is unknown, as of a copy or of rows that
 * were mended twice; `undefined` for a file of other rows.
 */
async function mendedSince(input: Input, keeping: Keeping): Promise<string | undefined> {
  const origin = await originAt(input, keeping);
  if (origin === undefined) return (await isRowsFile(input, keeping)) ? "" : undefined;
  const left = (await bookOf(keeping.state, keeping.target)).run(origin);
  return left === undefined || left.isRowsFile === true ? "" : left.startedAt;
}

/** The run that wrote rejects to the place of an input. */
async function originAt({ source }: Input, { state, target, cwd }: Keeping): Promise<string | undefined> {
  return findRejectsAt({ state, target }, resolve(cwd, source.name));
}

/** A content that the shards of a plan pushed. */
type Planned = Pick<BookRun, "run"> & { readonly plan: string };

/** The content that a plan pushed under this name; `undefined` if a run of its own pushed it. */
export async function findPlanned(
  state: StateDirectory,
  identity: RunIdentity,
  run: string,
): Promise<(BookRun & Planned) | undefined> {
  const pushed = (await pushesOf(state, identity)).find((one) => one.run === run);
  return pushed?.plan === undefined ? undefined : { ...pushed, plan: pushed.plan };
}

/** What `rec-push runs` names in place of the run. */
export function planWords(pushed: { readonly plan?: string | undefined } | undefined): string | undefined {
  return pushed?.plan === undefined ? undefined : `--plan ${quoteWord(pushed.plan)}`;
}

/** True if creates that the service refused in the shards of a plan were not mended and pushed since. */
export async function leavesCreates(state: StateDirectory, pushed: BookRun & Planned): Promise<boolean> {
  if ((pushed.closed?.refusedCreates ?? 0) === 0) return false;
  const runs = await runsOf(pushed);
  const refused = runs.filter(({ end }) => (end.refusedCreates ?? 0) > 0);
  // If the directory of the plan is gone, nobody knows.
  return refused.length === 0 || !(await allMended(state, refused));
}

/** True if all rows that the shards of a plan left to be mended were mended and pushed. */
export async function arePlanMended(state: StateDirectory, pushed: Planned): Promise<boolean> {
  const left = (await runsOf(pushed)).filter(({ end }) => (end.toMend ?? 0) > 0);
  return left.length > 0 && (await allMended(state, left));
}

async function allMended(state: StateDirectory, runs: readonly KeptRun[]): Promise<boolean> {
  for (const run of runs) if (!(await areMended(state, run))) return false;
  return true;
}

/** The runs of the shards that pushed a content, as far as they can be read. */
async function runsOf({ run, plan }: Planned): Promise<readonly KeptRun[]> {
  const places = placesOf(plan);
  const { plan: name, input } = partOfRun(run);
  const shards = await readdir(dirname(places.shard(1))).catch((): string[] => []);
  const runs: KeptRun[] = [];
  for (const shard of shards.map(Number).filter(Number.isSafeInteger)) {
    const kept = await loadKept(placesIn(places.shard(shard)), runNameOf(name, shard, input)).catch(
      () => undefined,
    );
    if (kept !== undefined) runs.push(kept);
  }
  return runs;
}
