import { resolve } from "node:path";
import { findRejectsAt, findRejectsOf, placeOfKnown } from "../finish/known-files.ts";
import type { RunIdentity } from "../journal/run-facts.ts";
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
export async function originsOf(
  { source, report: { columns, reading } }: Input,
  { state, target, cwd }: Keeping,
): Promise<readonly string[] | undefined> {
  const known = placeOfKnown(state, target);
  const own = await findRejectsAt(known, resolve(cwd, source.name));
  if (own !== undefined) return [own];
  // Without a survey only the header is known; JSON has none.
  const names = [...reading.columns, ...columns.map(({ header }) => header)];
  if (!names.some((name) => isMarkerColumn(name.trim()))) return undefined;
  return (await findRejectsOf(known)).map(({ run }) => run);
}

/** True for rows of another file, such as mended rejects: that file may be pushed again in whole. */
export async function isRowsFile(input: Input, keeping: Keeping): Promise<boolean> {
  return (await originsOf(input, keeping)) !== undefined;
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
  const since = (await isRowsFile(input, keeping)) ? "" : begunAt;
  return countingSources(sources, exports, { content, since });
}
