import { resolve } from "node:path";
import { findRejectsAt, findRejectsOf, placeOfKnown } from "../finish/known-files.ts";
import { areMended } from "../finish/holds-unmended.ts";
import { notePlace } from "../finish/kept-place.ts";
import type { RunIdentity } from "../journal/run-facts.ts";
import { loadRun } from "../journal/run-store.ts";
import { countingSources, type ExportsOptions } from "../ledger/exports-rule.ts";
import type { LedgerSource } from "../ledger/ledger-sources.ts";
import { isMarkerColumn } from "../model/marker-columns.ts";
import type { StateDirectory } from "../state/state-directory.ts";
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
  if (own !== undefined) return [own];
  // JSON has no header.
  const names = [...reading.columns, ...columns.map(({ header }) => header)];
  if (!names.some((name) => isMarkerColumn(name.trim()))) return undefined;
  return (await findRejectsOf(placeOfKnown(keeping.state, keeping.target))).map(({ run }) => run);
}

/** True for rows of another file, such as mended rejects: that file may be pushed again in whole. */
export async function isRowsFile(input: Input, keeping: Keeping): Promise<boolean> {
  return (await originsOf(input, keeping)) !== undefined;
}

/** Notes in the run that left the rows of an input that they are mended and pushed, as their file may be removed now. */
export async function noteMended(input: Input, keeping: Keeping): Promise<void> {
  const origin = await originAt(input, keeping);
  const stored =
    origin === undefined ? undefined : await loadRun(keeping.state, origin).catch(() => undefined);
  if (stored !== undefined && (await areMended(keeping.state, stored)))
    await notePlace(stored.directory, { rowsSettled: true });
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
  const since = await mendedSince(input, keeping);
  return countingSources(sources, exports, { content, since: since ?? begunAt });
}

/**
 * When the run began that left the rows of an input to be mended; empty if that is unknown, as of a copy or of rows that
 * were mended twice; `undefined` for a file of other rows.
 */
async function mendedSince(input: Input, keeping: Keeping): Promise<string | undefined> {
  const origin = await originAt(input, keeping);
  if (origin === undefined) return (await isRowsFile(input, keeping)) ? "" : undefined;
  const stored = await loadRun(keeping.state, origin).catch(() => undefined);
  return stored === undefined || stored.facts.isRowsFile === true ? "" : stored.facts.startedAt;
}

/** The run that wrote rejects to the place of an input. */
async function originAt({ source }: Input, { state, target, cwd }: Keeping): Promise<string | undefined> {
  return findRejectsAt(placeOfKnown(state, target), resolve(cwd, source.name));
}
