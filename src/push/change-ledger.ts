import { KEY_FIELD, typeOfField } from "../fields/columns/other-columns.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import { compareCreates, STATE } from "../ledger/compare-creates.ts";
import { type ComparedAs, ComparisonForm } from "../ledger/comparison-form.ts";
import { openRunError } from "../ledger/decide-start.ts";
import { type ExportsOptions, type LedgerTarget, openLedger } from "../ledger/exports-rule.ts";
import { listLines } from "../ledger/ledger-questions.ts";
import type { PrintSpool } from "../ledger/print-table.ts";
import { removeCreates, writePrints } from "../ledger/ledger-file.ts";
import { showCountIs, showInteger, showShare } from "../model/counts.ts";
import type { RunEnd } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import { bookOf } from "../store/find-books.ts";
import { closeFinished, findLostRuns, type RunPlace, settleLostRun } from "../store/close-finished.ts";
import { tellInvalidRows } from "../survey/stop-on-positions.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { type RunControl, runInputs, type RunRequest } from "./check.ts";
import { linesOfCreates, printCreates } from "./print-creates.ts";

/** The user says that creates are already in a service, or no longer there. */
export interface LedgerChange extends RunPlace {
  readonly action: "add" | "remove";
  readonly target: LedgerTarget & { readonly dbVersion: string | null };
  readonly exports: ExportsOptions;
  readonly nameRun: () => string;
  readonly tell: (text: string) => void;
}

/** Adds the creates of files to the ledger of a target, or takes them out; sends nothing. */
export function changeLedger(
  request: RunRequest,
  change: LedgerChange,
  control: RunControl,
): Promise<RunEnd> {
  return runInputs(request, control, async (inputs, _, directory) => {
    for (const input of inputs) {
      refuseUnknownFields(input, change.exports);
      leaveInvalidOut(input, change, control);
      const identity = change.exports.identity;
      const form = comparisonOf(input.plan, identity);
      const spool = await printCreates(input, form, identity, request.read, directory);
      try {
        if (change.action === "remove") await remove(input, spool, request.read, change);
        else await add(input, form, spool, change);
      } finally {
        await spool.remove();
      }
    }
    const { state, lock } = change;
    const book = await bookOf(state, lock.table);
    if (change.action === "add") await settleLost(change);
    // The user's word counts, whatever the book said before.
    await lock.handOn(book.end);
    return undefined;
  });
}

/** The user has said which records the service holds: lost journals of the table stop nothing any more. */
async function settleLost({ state, lock, target, tell }: LedgerChange): Promise<void> {
  for (const run of await findLostRuns(state, target)) {
    await settleLostRun({ state, lock }, run);
    tell(
      `of the records without key that the run ${run} created, whose journal is lost or damaged, those that the ledger holds now count as there, and no others`,
    );
  }
}

/** Reports the invalid rows, which only `--on-invalid skip` lets come this far. */
function leaveInvalidOut(input: SurveyedInput, { tell }: LedgerChange, { emit }: RunControl): void {
  const { source, report } = input;
  const { invalid } = report.counts;
  if (invalid === 0) return;
  tellInvalidRows(input, emit);
  tell(`${source.name}: ${showCountIs(invalid, "invalid row")} left out`);
}

/** Creates that the ledger holds already, as often as the file does, are not added a second time. */
async function add(
  { source, report }: SurveyedInput,
  form: ComparisonForm,
  spool: PrintSpool,
  { state, lock, target, exports, nameRun, tell }: LedgerChange,
): Promise<void> {
  const sources = await openLedger(state, target, true);
  const { states } = await compareCreates(spool, sources, exports.identity);
  const countOf = (isOf: (bits: number) => boolean): number =>
    states.reduce((sum, bits) => sum + (isOf(bits) ? 1 : 0), 0);
  const isNew = (bits: number): boolean => (bits & (STATE.equal | STATE.unchanged)) === 0;
  const added = countOf(isNew);
  const run = nameRun();
  const book = await bookOf(state, lock.table);
  const facts = {
    kind: "added" as const,
    run,
    startedAt: new Date().toISOString(),
    file: source.name,
    dbVersion: target.dbVersion,
    content: report.reading.fingerprint,
    runKey: target.runKey,
    leavesRows: false,
    ...form.comparedAs,
    certain: added,
    doubtful: 0,
  };
  const name = `${run}-added`;
  const prints = await writePrints(book.directory, name, facts, (put) =>
    spool.scan((bytes, at, number) => {
      if (isNew(states[number]!)) put(bytes, at);
    }),
  );
  await book.append(lock, { entry: "prints", files: { [name]: prints } });
  const doubtful = countOf((bits) => (bits & STATE.equal) !== 0 && (bits & STATE.doubtful) !== 0);
  const later =
    doubtful === 0
      ? ""
      : `; ${showInteger(doubtful)} in doubt ${doubtful === 1 ? "is added" : "are added"} only once that is settled`;
  const before = spool.count - added;
  const rest = before === 0 ? "" : `; ${showInteger(before)} ${before === 1 ? "was" : "were"} known already`;
  tell(
    `${source.name}: ${showShare(added, spool.count, "create")} added to the ledger${rest}${later}; nothing was sent (${run})`,
  );
}

async function remove(
  input: SurveyedInput,
  spool: PrintSpool,
  read: RunRequest["read"],
  { state, lock, target, exports, nameRun, tell }: LedgerChange,
): Promise<void> {
  await closeFinished({ state, lock });
  const open = (await openLedger(state, target)).find(({ isOpen }) => isOpen);
  if (open !== undefined)
    throw openRunError(open.run, "on this table is open: what it created may still change");
  const { name } = input.source;
  const found = await removeCreates(
    await bookOf(state, lock.table),
    lock,
    {
      hashed: spool.hashed,
      count: spool.count,
      runKey: target.runKey,
      identity: exports.identity,
      scan: (take) => spool.scan(take),
    },
    nameRun(),
  );
  if (typeof found !== "number") {
    const more = new Set<number>();
    await spool.scan((bytes, at, number) => void (found(bytes, at) && more.add(number)));
    throw heldMore(name, await linesOfCreates(input, read, (ordinal) => more.has(ordinal)), more.size);
  }
  const again = found === 0 ? "" : ": a later push creates them again";
  const others =
    found >= spool.count
      ? ""
      : `; it does not hold the ${found === 0 ? "" : "other "}${showInteger(spool.count - found)} with these columns and values`;
  tell(
    `${name}: ${showShare(found, spool.count, "create")} taken out of the ledger${again}${others}; nothing was sent`,
  );
}

/** Nobody can say which of several equal records are gone. */
function heldMore(file: string, lines: readonly number[], rows: number): RecPushError {
  const what = rows === 1 ? "a row was" : `${showInteger(rows)} rows were`;
  return new RecPushError(
    "creates-unsure",
    `${file}: ${what} created more often than the file holds ${rows === 1 ? "it" : "them"} (${listLines(lines, rows)}); nothing was taken out`,
    {
      hint: "write each row as often as it was created, then run the same command again\nif some of these records are still there, add them again after that: rec-push ledger add FILE --table NAME",
      place: { file, line: lines[0]! },
    },
  );
}

/** Throws a usage error if the identity names a field that no column of an input is sent as. */
export function refuseUnknownFields({ source, plan }: SurveyedInput, exports: ExportsOptions): void {
  const known = plan.fields.map(({ field }) => field);
  const unknown = exports.identity?.find((field) => !known.includes(field));
  if (unknown === undefined) return;
  throw new RecPushError(
    "identity-unknown",
    `${source.name}: --identify-by names ${unknown}, and no column is sent as that field`,
    {
      hint: `name some of ${known.join(", ")}; or leave --identify-by out: then a row in which a cell changes is a new record`,
    },
  );
}

/** At most so many single fields are kept that may turn out to be unique. */
const MOST_CANDIDATES = 6;

/**
 * How the creates of an input are compared with others: by whole records, and by the fields of `identity`. Without one they may be
 * compared later by a field that is unique among them: never by an amount or a date, which others share by chance. A run goes on
 * with the hashes that it began with.
 */
export function comparisonOf(
  { fields, parts: { options } }: FieldPlan,
  identity?: readonly string[],
  begunWith?: ComparedAs,
): ComparisonForm {
  const compared = fields.map(({ field, header, fallback }) => {
    // A format only says how cells are read; the values read are what is compared.
    const { kind } = typeOfField(field, options);
    const number = kind === "amount" || kind === "digits" ? kind : undefined;
    return { field, header, fallback, kind, type: JSON.stringify({ kind }), number };
  });
  const singles = (["digits", "text"] as const)
    .flatMap((kind) => compared.filter((one) => one.kind === kind && one.field !== KEY_FIELD))
    .slice(0, MOST_CANDIDATES);
  const hashed = identity === undefined ? singles.map(({ field }) => [field]) : [identity];
  return new ComparisonForm(compared, begunWith?.hashed ?? hashed);
}
