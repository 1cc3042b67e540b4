import { join } from "node:path";
import type { Origin } from "../store/book-entries.ts";
import { bookOf } from "../store/find-books.ts";
import type { RunIdentity } from "../store/run-facts.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { type StoredRun, unclosedRuns } from "../store/summarise-run.ts";
import { type Comparison, STATE } from "./compare-creates.ts";
import { widthOf } from "./comparison-form.ts";
import { findUnique, openFiles, originOf, scanJournal, type TakePrint } from "./ledger-file.ts";

/** What the files of a table hold: `full`, all earlier rows again; `delta`, new rows only. */
type Exports = "full" | "delta";

/** The options that describe the files of a table. */
export interface ExportsOptions {
  readonly exports: Exports | undefined;
  /** The fields of `--identify-by`; without them the whole record is the identity. */
  readonly identity: readonly string[] | undefined;
  /** True if only the last of several creates with one identity is sent (`--on-repeat last`). */
  readonly keepsLast: boolean;
}

/** How many creates of an input are in which state. */
export interface CreateCounts {
  readonly creates: number;
  /** Created before: left out. */
  readonly equal: number;
  /** Created before with other values: left out, because the service has no way to find the record. */
  readonly changed: number;
  /** Of these, those that the user has not heard of. */
  readonly newlyChanged: number;
  readonly fresh: number;
  /** Creates with the identity of a later one of the same input. */
  readonly repeated: number;
}

/** Why new creates of an input cannot be told from old ones. */
export type Question =
  /** Two creates have the same identity. */
  | { readonly kind: "repeated" }
  /** Earlier creates that are not in the input have no known identity. */
  | {
      readonly kind: "unidentified";
      readonly unidentified: number;
      readonly sources: readonly LedgerSource[];
    }
  /** Some are equal to earlier creates, which may be chance or a correction. */
  | { readonly kind: "equal"; readonly sources: readonly LedgerSource[] }
  /** None is equal, but the earlier creates were made with other columns or types, or with another map. */
  | { readonly kind: "incomparable"; readonly sources: readonly LedgerSource[] };

/** Why a create is left out; `undefined` if it is sent. */
export function whyLeftOut(state: number): "created" | "inDoubt" | "changed" | "repeated" | undefined {
  if ((state & STATE.repeated) !== 0) return "repeated";
  if ((state & (STATE.equal | STATE.unchanged | STATE.identified)) === 0) return undefined;
  // Nor is it certain that it differs from that record.
  if ((state & STATE.doubtful) !== 0) return "inDoubt";
  return (state & (STATE.equal | STATE.unchanged)) === 0 ? "changed" : "created";
}

/** So many shared records are no chance: MANY, or SOME if they are more than half of the creates. */
const [MANY, SOME] = [20, 3];

/** What decides which sources count for an input under `--exports delta`. */
interface DeltaInput {
  readonly content: string;
  /**
   * Sources before this time do not count: when the run began that left these rows to be mended, that is continued, or that
   * first pushed this content. Empty if that is unknown, `undefined` if the content was never pushed.
   */
  readonly since: string | undefined;
}

/**
 * The sources that count for an input: with `delta` only pushes of the same content, pushes that left rows behind, later
 * pushes of their content, which may have sent these rows, and creates that the user added.
 */
export function countingSources(
  sources: readonly LedgerSource[],
  { exports }: Pick<ExportsOptions, "exports">,
  { content: own, since }: DeltaInput,
): readonly LedgerSource[] {
  if (exports !== "delta") return sources;
  const counting = new Set(sources.filter(({ leavesRows }) => leavesRows).map(({ content }) => content)).add(
    own,
  );
  return sources.filter(
    ({ kind, content, startedAt }) =>
      kind === "added" || counting.has(content) || (since !== undefined && startedAt > since),
  );
}

/** Counts the states of a comparison. */
export function countCreates({ states }: Pick<Comparison, "states">): CreateCounts {
  let [creates, equal, changed, newlyChanged, repeated] = [0, 0, 0, 0, 0];
  for (const state of states) {
    if ((state & STATE.settled) !== 0) continue;
    creates += 1;
    switch (whyLeftOut(state)) {
      case "repeated":
        repeated += 1;
        break;
      case "created":
      case "inDoubt":
        equal += 1;
        break;
      case "changed":
        changed += 1;
        if ((state & STATE.told) === 0) newlyChanged += 1;
        break;
      case undefined:
        break;
    }
  }
  return { creates, equal, changed, newlyChanged, fresh: creates - equal - changed - repeated, repeated };
}

/**
 * The rule of design.md, section 7: earlier creates are left out unasked only where the match cannot be chance and
 * cannot hide a correction. Returns the question to ask, or `undefined` if the equal creates are left out and the
 * others are sent. `isSameContent`: all equal creates are those of pushes of exactly this content.
 */
export function questionOn(
  counts: CreateCounts,
  { shared, unidentified }: Pick<Comparison, "shared" | "unidentified">,
  isSameContent: boolean,
  sources: readonly LedgerSource[],
  { shape, dbVersion }: { readonly shape: string; readonly dbVersion: string | null },
  { exports, identity, keepsLast }: ExportsOptions,
): Question | undefined {
  if (identity !== undefined) {
    if (counts.repeated > 0 && !keepsLast) return { kind: "repeated" };
    if (unidentified === 0 || counts.fresh === 0 || exports === "delta") return undefined;
    return {
      kind: "unidentified",
      unidentified,
      sources: sources.filter((_, at) => shared[at]!.missing > 0),
    };
  }
  if (exports !== undefined || sources.length === 0) return undefined;
  const sharing = sources.filter((_, at) => shared[at]!.shared > 0);
  if (counts.equal === 0) {
    return sources.some((source) => source.shape === shape) ? undefined : { kind: "incomparable", sources };
  }
  const isMany = counts.equal >= MANY || (counts.equal >= SOME && counts.equal > counts.creates / 2);
  const isWhole = shared.every(({ shared, missing }) => shared === 0 || missing === 0);
  const isSameVersion = sharing.every((source) => source.dbVersion === dbVersion);
  const isCertain = isSameContent || (isWhole && isMany);
  return isCertain && isSameVersion ? undefined : { kind: "equal", sources: sharing };
}

/** A set of creates of a target, with their origin. */
export interface LedgerSource extends Origin {
  /** True for the journal of a run that is open. */
  readonly isOpen: boolean;
  readonly scan: (take: TakePrint) => Promise<void>;
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

/** The part of a run's identity that a ledger belongs to; the database version is noted in it. */
export type LedgerTarget = Pick<RunIdentity, "url" | "runKey" | "queries">;

/**
 * All sources of creates of a target, the oldest first: the prints that its book names, and the journals of open runs.
 * Throws a machine error if one is lost or damaged. With `withoutLost`, such journals are left out: either all records are
 * created again, or the user says which ones the service holds.
 */
export async function openLedger(
  state: StateDirectory,
  target: LedgerTarget,
  withoutLost = false,
): Promise<readonly LedgerSource[]> {
  const sources: LedgerSource[] = [];
  for (const { stored, loss } of await unclosedRuns(state, target)) {
    if (loss !== undefined && !withoutLost) throw loss;
    if (stored?.facts.identity.runKey === target.runKey) sources.push(...(await openSource(stored)));
  }
  for (const file of openFiles(await bookOf(state, target), target.runKey)) {
    const { certain, doubtful, name: _, sum: __, ...origin } = file.facts;
    // Creates that the user added count as an answer, even if the ledger held all of them before.
    if (certain + doubtful > 0 || origin.kind === "added")
      sources.push({ ...origin, isOpen: false, scan: (take) => file.scan(take) });
  }
  return sources.sort(compareAge);
}

/** The creates of a run that is open, from its journal. */
async function openSource({ account, directory }: StoredRun): Promise<readonly LedgerSource[]> {
  if (!account.hasCreates) return [];
  const origin = originOf(account, true);
  const width = widthOf(origin);
  const scan: LedgerSource["scan"] = (take) => scanJournal(join(directory, "journal"), account, width, take);
  const creates = account.countOf("create", "accepted") + account.countOf("create", "inDoubt");
  return [{ ...origin, hashed: await findUnique(origin, creates, scan), isOpen: true, scan }];
}

function compareAge(a: LedgerSource, b: LedgerSource): number {
  if (a.startedAt === b.startedAt) return a.run < b.run ? -1 : 1;
  return a.startedAt < b.startedAt ? -1 : 1;
}
