import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { refuseLostRun } from "../journal/lost-run.ts";
import { listOpenRuns, loadRun, type StoredRun } from "../journal/run-store.ts";
import type { RunFacts } from "../journal/run-facts.ts";
import { readCreated } from "./created-index.ts";
import { ledgerDamaged } from "./ledger-fault.ts";
import { scanJournal } from "./journal-creates.ts";
import {
  comparedUrl,
  knownFiles,
  ledgerDirectory,
  targetsOf,
  type AskedTarget,
  type LedgerTarget,
} from "./ledger-directory.ts";
import { LedgerFile, widthOf, type Origin, type TakePrints } from "./ledger-file.ts";
import { originOf } from "./note-run.ts";

/** A set of creates of a target, with their origin. */
export interface LedgerSource extends Origin {
  /** True for the journal of a run that is open. */
  readonly isOpen: boolean;
  readonly scan: (take: TakePrints) => Promise<void>;
}

/** Creates that are in doubt since an earlier run. */
export interface EarlierDoubt {
  readonly run: string;
  /** Its name. */
  readonly doubt: string;
  readonly records: number;
}

/** Names the doubt of creates that are counted by run. */
export function nameDoubts(
  doubtful: ReadonlyMap<string, number>,
  sources: readonly Pick<LedgerSource, "run" | "doubt">[],
): readonly EarlierDoubt[] {
  return [...doubtful].map(([run, records]) => ({
    run,
    records,
    doubt: sources.find((source) => source.run === run && source.doubt !== undefined)!.doubt!,
  }));
}

/** All that is known of the creates of a target. */
export interface Ledger {
  readonly directory: string;
  /** In the order in which they began. */
  readonly sources: readonly LedgerSource[];
}

/**
 * The ledger of a target, under all its addresses: its files, and the journals of runs that are open or were closed a
 * moment before a crash. Throws a machine error if part of it is lost or damaged; with `withoutLost`, such
 * journals are left out: all is created again whatever they held, or the user says what the service holds.
 */
export async function openLedger(
  state: StateDirectory,
  target: AskedTarget,
  withoutLost = false,
): Promise<Ledger> {
  const ledgers: Ledger[] = [];
  for (const one of targetsOf(target)) ledgers.push(await openOne(state, one, withoutLost));
  return {
    directory: ledgers[0]!.directory,
    sources: ledgers.flatMap(({ sources }) => sources).sort(compareAge),
  };
}

async function openOne(state: StateDirectory, target: LedgerTarget, withoutLost: boolean): Promise<Ledger> {
  const directory = ledgerDirectory(state, target);
  const files: LedgerFile[] = [];
  for (const known of await knownFiles(directory)) files.push(await LedgerFile.open(known));
  const marked = new Set(await listOpenRuns(state));
  const sources: LedgerSource[] = [];
  const noted = new Set<string>();
  for (const file of files) {
    const { certain, doubtful, version: _, ...origin } = file.facts;
    if (origin.kind === "created") noted.add(origin.run);
    // Creates that the user added count as an answer, even if all of them were known already.
    if (certain + doubtful > 0 || origin.kind === "added")
      sources.push({
        ...origin,
        // Its command was cut off before it could say how it ended.
        leavesRows: origin.leavesRows || marked.has(origin.run),
        isOpen: false,
        scan: (take) => file.scanStretches(take),
      });
  }
  for (const { run, directory: runDirectory, facts, account } of await findMarked(
    state,
    target,
    noted,
    withoutLost,
  )) {
    if (noted.has(run) || !account.hasCreates) continue;
    noted.add(run);
    const origin = originOf(facts, account, true);
    const journal = join(runDirectory, "journal");
    const width = widthOf(origin);
    const scan = async (take: TakePrints): Promise<void> => {
      await scanJournal(journal, account, width, (prints, at, isDoubtful) =>
        take(prints, at, at + width, isDoubtful),
      );
    };
    sources.push({ ...origin, isOpen: true, scan });
  }
  for (const { run, runKey, queries } of await readCreated(state, target.url))
    if (runKey === target.runKey && queries === target.queries && !noted.has(run))
      throw ledgerDamaged(join(directory, run), "is not there");
  return { directory, sources };
}

/** The marked runs of a target, under whatever name of this machine their address has. */
async function findMarked(
  state: StateDirectory,
  { url, runKey, queries }: LedgerTarget,
  noted: ReadonlySet<string>,
  withoutLost: boolean,
): Promise<readonly StoredRun[]> {
  const wanted = comparedUrl(url);
  const isWanted = ({ identity }: RunFacts): boolean =>
    comparedUrl(identity.url) === wanted && identity.runKey === runKey && identity.queries === queries;
  const found: StoredRun[] = [];
  const own = new Set(await listOpenRuns(state, url));
  for (const run of await listOpenRuns(state)) {
    const stored = await loadRun(state, run).catch((error: unknown) => {
      // A damaged journal does not stop pushes to other tables.
      if (error instanceof RecPushError && (withoutLost || !own.has(run))) return undefined;
      throw error;
    });
    if (stored !== undefined && isWanted(stored.facts)) found.push(stored);
    const isAsked = stored === undefined && own.has(run) && !noted.has(run) && !withoutLost;
    if (isAsked) await refuseLostRun(state, run);
  }
  return found;
}

function compareAge(a: LedgerSource, b: LedgerSource): number {
  if (a.startedAt === b.startedAt) return a.run < b.run ? -1 : 1;
  return a.startedAt < b.startedAt ? -1 : 1;
}
