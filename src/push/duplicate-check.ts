import { compareCreates, type Comparison, STATE } from "../ledger/compare-creates.ts";
import { type ComparisonForm, placeOfHash } from "../ledger/comparison-form.ts";
import type { Start } from "../ledger/decide-start.ts";
import {
  countCreates,
  type CreateCounts,
  type LedgerSource,
  nameDoubts,
  openLedger,
  type Question,
  questionOn,
  whyLeftOut,
} from "../ledger/exports-rule.ts";
import { findUnique } from "../ledger/ledger-file.ts";
import {
  hasSameContent,
  noteChanged,
  type QuestionFacts,
  stopForDoubt,
  stopToAsk,
  unfitIdentity,
} from "../ledger/ledger-questions.ts";
import type { PrintSpool } from "../ledger/print-table.ts";
import { showText } from "../model/text.ts";
import type { RecordMakers } from "../prepare/thread/record-makers.ts";
import { refuseOlderBook } from "../store/find-books.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { linesOfCreates, printCreates } from "./print-creates.ts";
import type { PushRequest, ReadKeeping, RunKeeping } from "./push-request.ts";
import { sourcesFor } from "./rejects-origin.ts";
import type { StartedInput } from "./start-inputs.ts";

/** What the ledger says about the creates of an input. */
export interface LedgerAnswer {
  readonly counts: CreateCounts;
  /** How many of them are left out. */
  readonly leftOut: number;
  /** Why a create is left out; `undefined` if it is sent. */
  readonly whyLeftOut: (ordinal: number) => ReturnType<typeof whyLeftOut>;
  /** Creates that are left out and that earlier runs left in doubt. */
  readonly doubtful: ReturnType<typeof nameDoubts>;
  /** Where the creates that are left out come from. */
  readonly sources: readonly LedgerSource[];
  /** True for a create that was created before with other values, if the user was not told of it yet. */
  readonly isNewlyChanged: (ordinal: number) => boolean;
  /** True if no option says what the files of the table hold. */
  readonly isUnasked: boolean;
  /** Notes in the ledger the identities of its earlier creates, and the changes. */
  readonly note: (run: string) => Promise<void>;
}

/** An input whose creates are asked about. */
type AskedInput = Omit<StartedInput, "at" | "overtaken">;

/** The creates of an input, compared with those of the ledger. */
interface Compared {
  readonly comparison: Comparison;
  readonly counts: CreateCounts;
  readonly spool: PrintSpool;
}

/** A command that asks. Without a lock it does nothing else. */
interface LedgerAsking {
  readonly request: Pick<PushRequest, "read" | "ledgerWords">;
  readonly keeping: ReadKeeping & Partial<Pick<RunKeeping, "lock">>;
  /** A private one. */
  readonly directory: string;
  /** Those that make records, in threads. */
  readonly makers?: RecordMakers;
}

/** Asks the ledger of a target about the creates of each input in turn, before any of them is sent. */
export class DuplicateCheck {
  readonly #asking: LedgerAsking;
  readonly #spools: PrintSpool[] = [];
  /** The creates of earlier inputs of the command, which count as created. */
  readonly #earlier: LedgerSource[] = [];
  #ledger: readonly LedgerSource[] | undefined;

  constructor(asking: LedgerAsking) {
    this.#asking = asking;
  }

  /**
   * The answer for an input; `undefined` if all its creates may be sent. Throws an input error if it cannot be known
   * which of them are new, and a usage error if the options do not say enough. If that is because earlier runs left some
   * of them in doubt, `noteDoubt` is called before with them.
   */
  async ask(
    started: AskedInput,
    form: ComparisonForm,
    isLast: boolean,
    noteDoubt: (doubtful: LedgerAnswer["doubtful"]) => void = () => undefined,
  ): Promise<LedgerAnswer | undefined> {
    const { request, keeping, directory, makers } = this.#asking;
    const { input, start } = started;
    const { state, target, exports, lock } = keeping;
    if (hasNothingToAsk(input, start)) return undefined;
    this.#ledger ??= await openLedger(state, target, keeping.again);
    const content = input.report.reading.fingerprint;
    const sources = await this.#sourcesFor(started);
    const isNew = start.kind === "new";
    const isAsked = isNew && !keeping.again;
    if (isAsked && lock !== undefined) await refuseOlderBook(state, target, lock);
    const identity = exports.identity;
    if (sources.length === 0 && identity === undefined && isLast) return undefined;
    const chunks = makers?.chunks(input, true);
    const spool = await printCreates(input, form, identity, request.read, directory, chunks);
    this.#spools.push(spool);
    const account = start.kind === "resume" ? start.stored.account : undefined;
    const isSettled = account && ((ordinal: number) => account.standingOf("create", ordinal) !== undefined);
    const isSince = identity === undefined && start.kind === "resume";
    const since = isSince ? await identitySince(start.stored, spool) : undefined;
    const comparison = await compareCreates(spool, sources, identity ?? since, { isSettled });
    const counts = countCreates(comparison);
    const compared: Compared = { comparison, counts, spool };
    if (isAsked) {
      const about = { shape: form.comparedAs.shape, dbVersion: target.dbVersion };
      const isSame = await hasSameContent(state, target, spool, sources, counts, content);
      const question = questionOn(counts, comparison, isSame, sources, about, exports);
      if (question !== undefined && question.kind !== "repeated")
        noteDoubt(nameDoubts(comparison.doubtful, sources));
      if (question !== undefined) throw await this.#stop(started, question, compared, sources);
    }
    return this.#answer(input, form, sources, compared, isLast);
  }

  async close(): Promise<void> {
    for (const spool of this.#spools) await spool.remove();
  }

  /**
   * The sources that an input's creates are compared with, without its own run: creates of that count as settled, not as
   * left out.
   */
  async #sourcesFor(started: AskedInput): Promise<readonly LedgerSource[]> {
    const { again, exports } = this.#asking.keeping;
    const stored = started.start.kind === "resume" ? started.start.stored : undefined;
    const all = [...this.#ledger!, ...this.#earlier].filter(
      ({ run }) => stored === undefined || run !== stored.run,
    );
    // A run that was begun with --again creates again all that was created before it began.
    if (stored?.facts.again === true)
      return all.filter(({ startedAt }) => startedAt > stored.facts.startedAt);
    if (again && stored === undefined) return [];
    return sourcesFor(all, exports, started, this.#asking.keeping, stored?.facts.startedAt);
  }

  async #answer(
    input: SurveyedInput,
    form: ComparisonForm,
    sources: readonly LedgerSource[],
    { comparison: { states, shared, doubtful }, counts, spool }: Compared,
    isLast: boolean,
  ): Promise<LedgerAnswer> {
    const { state, lock, target, exports } = this.#asking.keeping;
    const about = {
      kind: "created" as const,
      startedAt: new Date().toISOString(),
      file: input.source.name,
      dbVersion: target.dbVersion,
      runKey: target.runKey,
      ...form.comparedAs,
    };
    if (!isLast)
      this.#earlier.push({
        ...about,
        hashed: await uniqueIn(spool),
        run: "",
        leavesRows: true,
        isOpen: false,
        scan: (take) =>
          spool.scan((bytes, at, number) => {
            if (whyLeftOut(states[number]!) === undefined) take(bytes, at, false);
          }),
      });
    return {
      counts,
      leftOut: counts.creates - counts.fresh,
      whyLeftOut: (ordinal) => whyLeftOut(states[ordinal] ?? 0),
      isNewlyChanged: (ordinal) =>
        whyLeftOut(states[ordinal]!) === "changed" && (states[ordinal]! & STATE.told) === 0,
      doubtful: nameDoubts(doubtful, sources),
      sources: sources.filter((_, at) => shared[at]!.shared > 0),
      isUnasked: exports.exports === undefined && exports.identity === undefined,
      async note(run) {
        if (lock !== undefined) await noteChanged(state, lock, { ...about, run }, spool, states);
      },
    };
  }

  async #stop(
    started: AskedInput,
    question: Question,
    { comparison, counts, spool }: Compared,
    sources: readonly LedgerSource[],
  ) {
    const { states, shared, doubtful } = comparison;
    const { input } = started;
    const { name: file } = input.source;
    const { read } = this.#asking.request;
    const { exports, facts } = this.#asking.keeping;
    if (question.kind === "repeated") {
      const lines = await linesOfCreates(input, read, (ordinal) => (states[ordinal]! & STATE.repeated) !== 0);
      return unfitIdentity("repeated", file, exports.identity ?? [], counts.repeated, lines);
    }
    const open = sources.filter(({ isOpen }, at) => isOpen && shared[at]!.shared > 0);
    const openRuns = open.flatMap(({ run, file: of }) => [
      `the run ${run} of ${showText(of)} is still open; settle it first, then run the same command again:`,
      `  rec-push resume ${run}`,
      `  or give it up: rec-push runs abandon ${run}`,
    ]);
    if (doubtful.size > 0) return stopForDoubt(doubtful, sources, { file, counts, openRuns });
    const isFew = counts.fresh > 0 && counts.equal + counts.changed > 0;
    const isFresh = (ordinal: number): boolean => whyLeftOut(states[ordinal]!) === undefined;
    const delta = await sourcesFor(this.#ledger!, { exports: "delta" }, started, this.#asking.keeping);
    const asDelta = countCreates(await compareCreates(spool, [...delta, ...this.#earlier], undefined));
    return stopToAsk(question, {
      file,
      table: facts.table,
      counts,
      openRuns,
      deltaCreates: asDelta.fresh,
      identities: await findIdentities(spool, sources, exports),
      words: this.#asking.request.ledgerWords ?? "",
      freshLines: isFew ? await linesOfCreates(input, read, isFresh) : [],
    });
  }
}

/** True if the rule on equal content leaves out all creates of an input, or if it has none. */
function hasNothingToAsk({ report }: SurveyedInput, start: Start): boolean {
  if (start.kind === "leftOut" || report.counts.creates === 0) return true;
  return (start.kind === "new" ? start.createdBy : start.stored.facts.createdBy) !== undefined;
}

/**
 * The identity that a later push of the table named, if it tells the creates of a run apart that is resumed: some of them may
 * have been created since with other values.
 */
async function identitySince(
  { run, book }: StoredRun,
  spool: PrintSpool,
): Promise<readonly string[] | undefined> {
  const { runs } = book;
  const later = runs.slice(runs.findIndex((one) => one.run === run) + 1);
  const named = later.findLast(({ identifiedBy }) => identifiedBy !== undefined)?.identifiedBy;
  if (named === undefined) return undefined;
  const unique = await uniqueIn(spool);
  if (!unique.some((fields) => fields.join() === named.join())) return undefined;
  // That was proven for the first creates only; a row that shares its identity with another must not be left out.
  const { states } = await compareCreates(spool, [], named);
  return states.some((state) => (state & STATE.repeated) !== 0) ? undefined : named;
}

/** The fields of the hashes that tell the creates of an input apart. */
function uniqueIn(spool: PrintSpool): Promise<PrintSpool["hashed"]> {
  return findUnique(spool, spool.count, (take) => spool.scan(take));
}

/**
 * The fields that would each identify the creates of an input and all earlier ones; where other fields were named to identify them,
 * only the earlier ones are known.
 */
async function findIdentities(
  spool: PrintSpool,
  sources: readonly LedgerSource[],
  { identity }: ReadKeeping["exports"],
): Promise<QuestionFacts["identities"]> {
  const earlier = sources.filter(({ kind }) => kind !== "changed");
  const own = identity === undefined ? await uniqueIn(spool) : (earlier[0]?.hashed ?? []);
  const found: QuestionFacts["identities"][number][] = [];
  for (const fields of own) {
    const [field] = fields;
    if (field === undefined || fields.length > 1) continue;
    if (earlier.some((source) => placeOfHash(source, fields) === undefined)) continue;
    if (identity !== undefined) found.push({ field });
    else found.push({ field, creates: countCreates(await compareCreates(spool, sources, fields)).fresh });
  }
  return found;
}
