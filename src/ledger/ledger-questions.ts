import { showCount, showCountIs, showInteger, showShare } from "../model/counts.ts";
import { type Choice, RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/text.ts";
import type { BookRun, Origin } from "../store/book-entries.ts";
import type { TableLock } from "../store/held-lock.ts";
import { bookOf } from "../store/find-books.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { compareCreates, STATE } from "./compare-creates.ts";
import {
  countCreates,
  type CreateCounts,
  type LedgerSource,
  type LedgerTarget,
  type Question,
  whyLeftOut,
} from "./exports-rule.ts";
import { writePrints } from "./ledger-file.ts";
import type { PrintSpool } from "./print-table.ts";

/** The facts that a person needs to answer a question. */
export interface QuestionFacts {
  readonly file: string;
  readonly table: string;
  readonly counts: CreateCounts;
  /** The open runs that created some of them, each with what is left to do about it. */
  readonly openRuns: readonly string[];
  /** The number of creates that `--exports delta` would make. */
  readonly deltaCreates: number;
  /**
   * Fields that all earlier pushes filled with unique values, and the file too if that can be checked, each with the
   * creates that it would make.
   */
  readonly identities: readonly { readonly field: string; readonly creates?: number }[];
  /** The push's options as words for `ledger add`, each with a space before it. */
  readonly words: string;
  /** The first lines of the rows that match no earlier create; empty if all rows match none, or all match. */
  readonly freshLines: readonly number[];
}

/** If there are more pushes, the others are counted instead of named. */
const MOST_NAMED = 3;

/** The error that asks for missing options; nothing was sent. */
export function stopToAsk(
  question: Exclude<Question, { readonly kind: "repeated" }>,
  facts: QuestionFacts,
): RecPushError {
  const { file, counts } = facts;
  switch (question.kind) {
    case "equal": {
      const { equal, fresh, creates } = counts;
      const others =
        fresh === 0 ? "" : `; ${showInteger(fresh)} ${fresh === 1 ? "matches" : "match"} none of them`;
      const found = `${file}: ${showShare(equal, creates, "create")} ${equal === 1 ? "is" : "are"} equal to records created before (${nameRuns(question.sources)})${others}`;
      return ask(
        "creates-unsure",
        `${found}. It cannot be known whether they are the same records`,
        [...facts.openRuns, ...answers(facts)],
        chooseExports(facts, found),
      );
    }
    case "incomparable": {
      const found = `${file}: records were created in this table before (${nameRuns(question.sources)}), but with other columns, types or another map`;
      return ask(
        "creates-unsure",
        `${found}: it cannot be known whether its ${showCountIs(counts.creates, "create")} among them`,
        answers(facts),
        chooseExports(facts, found),
      );
    }
    case "unidentified":
      return ask(
        "creates-unsure",
        `${file}: ${showCountIs(question.unidentified, "earlier record")} without this identity (${nameRuns(question.sources)}) and not in this file; ${showInteger(counts.fresh)} of its ${showCount(counts.creates, "create")} may be new, or some of these with other values`,
        [
          ...facts.openRuns,
          ...freshLine(facts),
          ...offersOf(facts).slice(0, facts.identities.length).map(offerLine),
          ...identifyLines(facts, question.sources),
          ...aloneLines(facts),
        ],
      );
  }
}

/**
 * The error for creates that earlier pushes left in doubt, by run; `sources` holds these runs. The end of the push prints
 * the commands that settle it.
 */
export function stopForDoubt(
  doubtful: ReadonlyMap<string, number>,
  sources: readonly LedgerSource[],
  { file, counts, openRuns }: Pick<QuestionFacts, "file" | "counts" | "openRuns">,
): RecPushError {
  const records = [...doubtful.values()].reduce((sum, of) => sum + of, 0);
  const from = nameRuns(sources.filter(({ run }) => doubtful.has(run)));
  return new RecPushError(
    "creates-in-doubt",
    `${file}: ${showShare(records, counts.creates, "create")} ${records === 1 ? "is" : "are"} in doubt since an earlier push (${from}): the service may have ${records === 1 ? "it" : "them"} or not`,
    openRuns.length === 0 ? {} : { hint: openRuns.join("\n") },
  );
}

/** An answer that says what the files of a table hold. */
interface Offer {
  readonly answer: string;
  readonly effect: string;
  /** `undefined` if the number is uncertain. */
  readonly creates?: number | undefined;
}

function offersOf({ counts, deltaCreates, identities }: QuestionFacts): readonly Offer[] {
  const again = "each file holds the earlier rows again, and";
  const record = {
    answer: "--exports full",
    effect: `${again} a row in which a cell changes is a new record`,
    creates: counts.fresh,
  };
  return [
    ...identities.map(({ field, creates }) => ({
      answer: `--exports full --identify-by ${field}`,
      effect: `${again} ${field}, unique in every earlier push, tells them apart`,
      creates,
    })),
    ...(counts.fresh + counts.equal === counts.creates ? [record] : []),
    { answer: "--exports delta", effect: "each file holds new rows only", creates: deltaCreates },
  ];
}

function answers(facts: QuestionFacts): readonly string[] {
  return [
    ...freshLine(facts),
    "say what the files of this table hold, here or in its config (exports, identifyBy); each answer with what it creates of this file (it counts for all files of the command):",
    ...offersOf(facts).map(offerLine),
    ...aloneLines(facts),
  ];
}

function offerLine({ answer, effect, creates }: Offer): string {
  return `  ${answer}   ${creates === undefined ? "" : `creates ${showInteger(creates)}: `}${effect}`;
}

/** A push keeps only some identities. Any other comes into the ledger with the file that was pushed. */
function identifyLines({ table, words }: QuestionFacts, sources: readonly LedgerSource[]): readonly string[] {
  const rest = `EARLIER_FILE --table ${quoteWord(table)}${words}`;
  return [
    `with a copy of each of these files as it was pushed (${nameRuns(sources)}), both of these lines give them this identity:`,
    `  rec-push ledger remove ${rest}`,
    `  rec-push ledger add ${rest}`,
  ];
}

function freshLine({ freshLines, counts: { fresh } }: QuestionFacts): readonly string[] {
  return freshLines.length === 0 ? [] : [`rows that match none: ${listLines(freshLines, fresh)}`];
}

/** Once the file itself is in the ledger, the same command leaves all its creates out, and sends its updates. */
function aloneLines({ file, table, words, counts }: QuestionFacts): readonly string[] {
  const add = `rec-push ledger add ${quoteWord(file)} --table ${quoteWord(table)}${words}`;
  // `<stdin>`, or what a program gave: no command can read it.
  const isReadable = !/^(?:<.*>|-)$/.test(file);
  return [
    "or settle this file alone:",
    ...(isReadable
      ? [
          `  ${add}   creates none of its rows: those that match none are corrections, or are there already (push new ones before, in a file of their own); then the same command again`,
        ]
      : []),
    `  --again   creates ${showInteger(counts.creates)}: all of them, in all files of the command, whatever was created before`,
  ];
}

function nameRuns(runs: readonly Pick<LedgerSource, "file" | "startedAt" | "run">[]): string {
  const named = runs
    .slice(-MOST_NAMED)
    .reverse()
    .map(({ file, startedAt, run }) =>
      // A file of this very command has no run yet.
      run === "" ? `${file} of this command` : `${file} on ${startedAt.slice(0, 10)}, run ${run}`,
    );
  const more = runs.length - named.length;
  return [...named, ...(more > 0 ? [`${showInteger(more)} earlier`] : [])].join("; ");
}

function ask(
  code: RecPushError["code"],
  message: string,
  hints: readonly string[],
  choices?: readonly Choice[],
): RecPushError {
  return new RecPushError(code, message, { hint: hints.join("\n"), choices });
}

/** The question to a person, with what each answer creates; none while a run is open that has to be settled first. */
function chooseExports(facts: QuestionFacts, found: string): readonly Choice[] | undefined {
  const { counts, identities, openRuns, freshLines } = facts;
  if (openRuns.length > 0) return undefined;
  // Of several identities the first is offered.
  const offered = offersOf(facts).filter((_, at) => at === 0 || at >= identities.length);
  const lines = freshLines.length === 0 ? "" : ` (${listLines(freshLines, counts.fresh)})`;
  return [
    {
      question: `${found}${lines}. What do the files of this table hold?`,
      answers: offered.map(({ answer }) => answer),
      effects: offered.map(({ effect, creates = 0 }) => `${effect}: creates ${showInteger(creates)}`),
    },
  ];
}

/** The error for creates whose identity has no value, or is that of a later one. */
export function unfitIdentity(
  kind: "empty" | "repeated",
  file: string,
  identity: readonly string[],
  creates: number,
  lines: readonly number[],
): RecPushError {
  const fields = identity.join(", ");
  const [what, hint] =
    kind === "empty"
      ? [
          `no value in ${fields}, which --identify-by names`,
          "name fields that every row without key has, or mend the rows",
        ]
      : [
          `the same ${fields} as a later one`,
          "--on-repeat last sends only the last of them; or name more fields in --identify-by",
        ];
  return new RecPushError(
    "identity-unfit",
    `${file}: ${showCount(creates, "create")} ${creates === 1 ? "has" : "have"} ${what} (${listLines(lines, creates)})`,
    { hint, place: { file, line: lines[0]! } },
  );
}

/** The first lines of rows, and whether there are more. */
export function listLines(lines: readonly number[], all: number): string {
  const more = all > lines.length ? " ..." : "";
  return `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`;
}

/**
 * Notes which records of a push differ from the one that was created with their identity, so that each of these is reported only
 * once.
 */
export async function noteChanged(
  state: StateDirectory,
  lock: TableLock,
  origin: Omit<Origin, "kind" | "leavesRows">,
  spool: PrintSpool,
  states: Uint8Array,
): Promise<void> {
  const isChanged = (state: number): boolean => whyLeftOut(state) === "changed" && (state & STATE.told) === 0;
  const certain = states.reduce((sum, state) => sum + (isChanged(state) ? 1 : 0), 0);
  if (certain === 0) return;
  const book = await bookOf(state, lock.table);
  const name = `${origin.run}-changed`;
  const facts = { ...origin, kind: "changed" as const, leavesRows: false, certain, doubtful: 0 };
  const prints = await writePrints(book.directory, name, facts, (put) =>
    spool.scan((bytes, at, number) => {
      if (isChanged(states[number]!)) put(bytes, at);
    }),
  );
  await book.append(lock, { entry: "prints", files: { [name]: prints } });
}

/**
 * True if the creates of an input that are equal to earlier ones are those of pushes of exactly its content, or if a push of its
 * content left nothing behind and nothing of it is new.
 */
export async function hasSameContent(
  state: StateDirectory,
  target: LedgerTarget,
  spool: PrintSpool,
  sources: readonly LedgerSource[],
  { equal, fresh }: CreateCounts,
  content: string,
): Promise<boolean> {
  const isWhole = ({ content: of, runKey, closed }: BookRun): boolean =>
    of === content && runKey === target.runKey && closed?.exitCode === 0 && closed.isAbandoned !== true;
  if (fresh === 0 && (await bookOf(state, target)).runs.some(isWhole)) return true;
  const same = sources.filter((source) => source.content === content);
  // The user has said that all of it is there.
  if (same.some(({ kind }) => kind === "added")) return true;
  return same.length > 0 && countCreates(await compareCreates(spool, same, undefined)).equal >= equal;
}
