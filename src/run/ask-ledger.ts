import type { ComparisonForm } from "../ledger/comparison-form.ts";
import { REPEATED, TOLD } from "../ledger/create-bits.ts";
import { compareCreates, type Comparison } from "../ledger/compare-creates.ts";
import { countExplained } from "../ledger/count-explained.ts";
import type { Start } from "../ledger/decide-start.ts";
import {
  countCreates,
  identityFields,
  isUnsaid,
  questionOn,
  whyLeftOut,
  type CreateCounts,
  type Question,
} from "../ledger/exports-rule.ts";
import { repeatedIdentity } from "../ledger/identity-faults.ts";
import { stopForDoubt, stopToAsk } from "../ledger/ledger-questions.ts";
import { refuseOlderLedger } from "../ledger/known-words.ts";
import { nameDoubts, openLedger, type Ledger, type LedgerSource } from "../ledger/ledger-sources.ts";
import { targetOf } from "../ledger/ledger-directory.ts";
import { noteKnown } from "../ledger/note-known.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import type { PrintSpool } from "../ledger/print-spool.ts";
import type { RecordMakers } from "../prepare/thread/record-makers.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { describeOpenRuns } from "./describe-open-runs.ts";
import { findIdentities } from "./find-identities.ts";
import { findUnidentified } from "./find-unidentified.ts";
import { linesOfCreates, printCreates } from "./print-creates.ts";
import { refuseLostKeys } from "./refuse-lost-keys.ts";
import { sourcesFor } from "./rejects-origin.ts";
import type { PushRequest } from "./push-request.ts";
import type { RunKeeping } from "./start-run.ts";
import { writeUnmatched } from "./write-unmatched.ts";

/** What the ledger says about the creates of an input. */
export interface LedgerAnswer {
  readonly counts: CreateCounts;
  /** Why a create is left out; `undefined` if it is sent. */
  readonly whyLeftOut: (ordinal: number) => ReturnType<typeof whyLeftOut>;
  /** The prints of creates, one after the other, as they were made for asking the ledger. */
  readonly printsOf: (ordinals: readonly number[]) => Buffer;
  /** Creates that are left out and that earlier runs left in doubt. */
  readonly doubtful: ReturnType<typeof nameDoubts>;
  /** Where the creates that are left out come from. */
  readonly sources: readonly LedgerSource[];
  /** The last push of creates from a file of the same name. */
  readonly namesake: LedgerSource | undefined;
  /** True for a create that was created before with other values, if the user was not told of it yet. */
  readonly isNewlyChanged: (ordinal: number) => boolean;
  /** The fields that identify its creates. */
  readonly identity: readonly string[];
  /** True if no option says what the files of the table hold. */
  readonly isUnasked: boolean;
  /** Notes in the ledger which identities its earlier creates now have, and what changed. */
  readonly note: (run: string) => Promise<void>;
}

/** The number of creates of an input that are left out. */
export function leftOutBy(answer: LedgerAnswer | undefined): number {
  return answer === undefined ? 0 : answer.counts.creates - answer.counts.fresh;
}

/** The creates of an input, compared with those of the ledger. */
interface Compared {
  readonly comparison: Comparison;
  readonly counts: CreateCounts;
  readonly spool: PrintSpool;
}

/** Asks the ledger of a target about the creates of each input in turn, before any of them is sent. */
export class LedgerDesk {
  readonly #request: PushRequest;
  readonly #keeping: RunKeeping;
  readonly #directory: string;
  readonly #makers: RecordMakers | undefined;
  readonly #spools: PrintSpool[] = [];
  /** The creates of earlier inputs of the command, which count as created. */
  readonly #earlier: LedgerSource[] = [];
  #ledger: Ledger | undefined;

  /** `directory` is a private one. `makers`: those that make the records to be sent. */
  constructor(request: PushRequest, keeping: RunKeeping, directory: string, makers?: RecordMakers) {
    this.#request = request;
    this.#keeping = keeping;
    this.#directory = directory;
    this.#makers = makers;
  }

  /**
   * The answer for an input; `undefined` if all its creates may be sent. Throws an input error if it cannot be known
   * which of them are new, and a usage error if the options do not say enough. If that is because earlier runs left some
   * of them in doubt, `noteDoubt` is called before with them.
   */
  async ask(
    input: SurveyedInput,
    start: Start,
    form: ComparisonForm,
    isLast: boolean,
    noteDoubt: (doubtful: LedgerAnswer["doubtful"]) => void = () => undefined,
  ): Promise<LedgerAnswer | undefined> {
    const { state, target, exports, formerUrls, lock } = this.#keeping;
    if (hasNothingToAsk(input, start)) return undefined;
    this.#ledger ??= await openLedger(state, { ...target, formerUrls }, this.#keeping.again);
    const content = input.report.reading.fingerprint;
    const sources = await this.#sourcesFor(start, input);
    const isNew = start.kind === "new";
    const isAsked = isNew && !this.#keeping.again;
    if (isAsked) await refuseOlderLedger(state, target, lock.known);
    const identity = identityFields(exports);
    if (sources.length === 0 && identity === undefined && isLast) return undefined;
    const kept = await this.#makers?.keptChunks(input);
    const spool = await printCreates(input, form, this.#request.read, this.#directory, kept);
    this.#spools.push(spool);
    const account = start.kind === "resume" ? start.stored.account : undefined;
    const isSettled = account && ((ordinal: number) => account.standingOf("create", ordinal) !== undefined);
    const comparison = await compareCreates(spool, sources, identity, { isSettled });
    const counts = countCreates(comparison);
    const compared: Compared = { comparison, counts, spool };
    if (isAsked) {
      const about = { shape: form.comparedAs.shape, dbVersion: target.dbVersion };
      const explained = await countExplained(spool, sources, compared, content);
      const question = questionOn(counts, { ...comparison, ...explained }, sources, about, exports);
      if (question !== undefined && question.kind !== "repeated")
        noteDoubt(nameDoubts(comparison.doubtful, sources));
      if (question !== undefined) throw await this.#stop(input, question, compared, sources);
      const sharing = sources.filter((_, at) => comparison.holds[at] === true);
      if (exports.exports !== "delta") await refuseLostKeys(input, counts, sharing, this.#keeping);
    }
    return this.#answer(input, form, sources, compared);
  }

  async close(): Promise<void> {
    for (const spool of this.#spools) await spool.remove();
  }

  /**
   * The sources that an input's creates are compared with. Those of its own run are not among them: they count as
   * settled, not as left out.
   */
  async #sourcesFor(start: Start, input: SurveyedInput): Promise<readonly LedgerSource[]> {
    const { again, exports } = this.#keeping;
    const stored = start.kind === "resume" ? start.stored : undefined;
    const all = [...this.#ledger!.sources, ...this.#earlier].filter(
      ({ run }) => stored === undefined || run !== stored.run,
    );
    // A run that was begun with --again creates again what was created before it began.
    if (stored?.facts.again === true)
      return all.filter(({ startedAt }) => startedAt > stored.facts.startedAt);
    if (again && stored === undefined) return [];
    return sourcesFor(all, exports, input, this.#keeping, stored?.facts.startedAt);
  }

  #answer(
    input: SurveyedInput,
    form: ComparisonForm,
    sources: readonly LedgerSource[],
    { comparison: { states, shared, doubtful }, counts, spool }: Compared,
  ): LedgerAnswer {
    const { state, target, exports } = this.#keeping;
    const about = {
      kind: "created" as const,
      startedAt: new Date().toISOString(),
      file: input.source.name,
      dbVersion: target.dbVersion,
      target: targetOf(target),
      ...form.comparedAs,
    };
    this.#earlier.push({
      ...about,
      run: "",
      leavesRows: true,
      isOpen: false,
      scan: (take) =>
        spool.scan((bytes, at, number) => {
          if (whyLeftOut(states[number]!) === undefined) take(bytes, at, at + spool.width, false);
        }),
    });
    return {
      counts,
      whyLeftOut: (ordinal) => whyLeftOut(states[ordinal] ?? 0),
      isNewlyChanged: (ordinal) =>
        whyLeftOut(states[ordinal]!) === "changed" && (states[ordinal]! & TOLD) === 0,
      identity: identityFields(exports) ?? [],
      printsOf: (ordinals) => spool.pick(ordinals),
      doubtful: nameDoubts(doubtful, sources),
      sources: sources.filter((_, at) => shared[at]!.shared > 0),
      namesake: sources.findLast(({ kind, file }) => kind === "created" && file === about.file),
      isUnasked: isUnsaid(exports),
      note: (run) => noteKnown(state, target, { ...about, run }, spool, states),
    };
  }

  async #stop(
    input: SurveyedInput,
    question: Question,
    { comparison, counts, spool }: Compared,
    sources: readonly LedgerSource[],
  ) {
    const { states, shared, doubtful } = comparison;
    const { name: file } = input.source;
    const { read } = this.#request;
    const { state, exports, facts } = this.#keeping;
    if (question.kind === "repeated") {
      const lines = await linesOfCreates(input, read, (ordinal) => (states[ordinal]! & REPEATED) !== 0);
      return repeatedIdentity(file, identityFields(exports) ?? [], counts.repeated, lines);
    }
    const open = sources.filter(({ isOpen }, at) => isOpen && shared[at]!.shared > 0).map(({ run }) => run);
    const openRuns = await describeOpenRuns(state, open, doubtful.size === 0);
    if (doubtful.size > 0) return stopForDoubt(doubtful, sources, { file, counts, openRuns });
    const lacksIdentity = question.kind === "unidentified";
    const isFew = counts.fresh > 0 && counts.equal + counts.changed > 0;
    const { counts: rows } = input.report;
    const delta = await sourcesFor(this.#ledger!.sources, { exports: "delta" }, input, this.#keeping);
    const asDelta = countCreates(await compareCreates(spool, [...delta, ...this.#earlier], undefined));
    return stopToAsk(question, {
      file,
      table: facts.table,
      counts,
      openRuns,
      hasOtherRows: rows.updates + rows.invalid > 0,
      hasOtherFiles: this.#request.files.length > 1,
      deltaCreates: asDelta.fresh,
      identities: exports.identity === undefined ? await findIdentities(input, read, counts.creates) : [],
      words: this.#request.ledgerWords ?? "",
      sources,
      earlier: lacksIdentity ? await findUnidentified(sources, comparison, this.#keeping) : [],
      unmatched: isFew ? await this.#writeUnmatched(input, states, lacksIdentity) : undefined,
    });
  }

  async #writeUnmatched(input: SurveyedInput, states: Uint8Array, lacksIdentity: boolean) {
    const { read, commandFor = () => "" } = this.#request;
    const { state, facts } = this.#keeping;
    const path = await writeUnmatched(input, read, states, state, facts.table);
    // These rows are new: that earlier creates, which they do not hold, lack the identity is no reason to ask again.
    const other: OptionTexts = lacksIdentity ? { exports: "delta" } : {};
    return path === undefined ? undefined : { path, command: commandFor(path, input.report, other) };
  }
}

/** True if the rule on equal content leaves out all creates of an input, or if it has none. */
function hasNothingToAsk({ report }: SurveyedInput, start: Start): boolean {
  if (start.kind === "leftOut" || report.counts.creates === 0) return true;
  return (start.kind === "new" ? start.createdBy : start.stored.facts.createdBy) !== undefined;
}
