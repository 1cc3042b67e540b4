import { typeOfField } from "../fields/columns/other-columns.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import { compareCreates, DOUBTFUL, EQUAL, learnsIdentity, UNCHANGED } from "../ledger/compare-creates.ts";
import { ComparisonForm } from "../ledger/comparison-form.ts";
import { type ExportsOptions, identityFields, openLedger } from "../ledger/exports-rule.ts";
import { nameLines } from "../ledger/identity-faults.ts";
import { writePrints } from "../ledger/ledger-file.ts";
import { type AskedTarget, targetsOf } from "../ledger/ledger-target.ts";
import type { PrintSpool } from "../ledger/print-table.ts";
import { removeCreates, type RemovedCreates } from "../ledger/remove-creates.ts";
import { showCountIs, showInteger, showShare } from "../model/counts.ts";
import type { RunEnd } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import type { Prints } from "../store/book-entries.ts";
import { bookOf, pushesOf } from "../store/find-books.ts";
import {
  closeFinished,
  findLoss,
  findLostRuns,
  type RunPlace,
  settleLostRun,
} from "../store/close-finished.ts";
import { tellInvalidRows } from "../survey/stop-on-positions.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { type RunControl, runInputs, type RunRequest } from "./check.ts";
import { withLock } from "./forget-run.ts";
import { linesOfCreates, printCreates } from "./print-creates.ts";

/** The user says that creates are already in a service, or no longer there. */
export interface LedgerChange extends RunPlace {
  readonly action: "add" | "identify" | "remove";
  readonly target: AskedTarget & { readonly dbVersion: string | null };
  readonly exports: ExportsOptions;
  readonly nameRun: () => string;
  readonly tell: (text: string) => void;
}

/**
 * Adds the creates of files to the ledger of a target, gives an identity to those it holds, or takes them out; sends
 * nothing.
 */
export function changeLedger(
  request: RunRequest,
  change: LedgerChange,
  control: RunControl,
): Promise<RunEnd> {
  return runInputs(request, control, async (_, directory) => ({
    async finish(inputs) {
      if (change.action === "identify" && identityFields(change.exports) === undefined) throw noIdentity();
      for (const input of inputs) {
        refuseUnknownFields(input, change.exports);
        leaveInvalidOut(input, change, control);
        const form = comparisonOf(input.plan, identityFields(change.exports));
        const spool = await printCreates(input, form, request.read, directory);
        try {
          if (change.action === "remove") await remove(input, spool, request.read, change);
          else await add(input, form, spool, change);
        } finally {
          await spool.remove();
        }
      }
      const { state, lock } = change;
      const book = await bookOf(state, lock.table);
      if (change.action === "add") await settleLost(inputs, change);
      // The user's word counts, whatever the book held before.
      await lock.handOn(book.end);
      return undefined;
    },
  }));
}

/**
 * The user has said what the service holds, so that runs of the table whose journals are lost stop nothing any more. Of a run
 * of a file that is added, only the entry of its content may be left.
 */
async function settleLost(
  inputs: readonly SurveyedInput[],
  { state, lock, target, tell }: LedgerChange,
): Promise<void> {
  const lost = new Set<string>();
  for (const run of await findLostRuns(state, target)) lost.add(run);
  // Those of a former address are of another book.
  for (const former of targetsOf(target).slice(1))
    for (const run of await findLostRuns(state, former))
      await withLock(state, former, former.url, (other) => settle({ state, lock: other }, run, tell));
  for (const { report } of inputs) {
    const content = report.reading.fingerprint;
    for (const { run } of await pushesOf(state, { ...target, content }))
      if ((await findLoss(state, run)) !== undefined) lost.add(run);
  }
  for (const run of lost) await settle({ state, lock }, run, tell);
}

async function settle(place: RunPlace, run: string, tell: LedgerChange["tell"]): Promise<void> {
  await settleLostRun(place, run);
  tell(
    `of the records without key that the run ${run} created, whose journal is lost or damaged, those that the ledger holds now count as there, and no others`,
  );
}

/** Reports the invalid rows, which only `--on-invalid skip` lets come this far. */
function leaveInvalidOut(input: SurveyedInput, { tell }: LedgerChange, { emit }: RunControl): void {
  const { source, report } = input;
  const { invalid } = report.counts;
  if (invalid === 0) return;
  tellInvalidRows(input, emit);
  tell(`${source.name}: ${showCountIs(invalid, "invalid row")} left out`);
}

/**
 * Creates that the ledger holds already, as often as the file does, are not added a second time, but get their
 * identity. Others are added, unless the ledger is only to learn identities.
 */
async function add(
  { source }: SurveyedInput,
  form: ComparisonForm,
  spool: PrintSpool,
  { action, state, lock, target, exports, nameRun, tell }: LedgerChange,
): Promise<void> {
  const sources = await openLedger(state, target, action === "add");
  const { states } = await compareCreates(spool, sources, identityFields(exports));
  const isNew = (bits: number): boolean => (bits & (EQUAL | UNCHANGED)) === 0;
  const run = nameRun();
  const book = await bookOf(state, lock.table);
  const files: Record<string, Prints> = {};
  const about = {
    run,
    startedAt: new Date().toISOString(),
    file: source.name,
    dbVersion: target.dbVersion,
    runKey: target.runKey,
    leavesRows: false,
    ...form.comparedAs,
  };
  const write = async (kind: "added" | "known", isOf: (bits: number) => boolean): Promise<number> => {
    const certain = states.reduce((sum, bits) => sum + (isOf(bits) ? 1 : 0), 0);
    if (certain === 0 && kind === "known") return 0;
    const facts = { ...about, kind, certain, doubtful: 0 };
    const name = `${run}-${kind}`;
    files[name] = await writePrints(book.directory, name, facts, (put) =>
      spool.scan((bytes, at, number) => {
        if (isOf(states[number]!)) put(bytes, at);
      }),
    );
    return certain;
  };
  const learnt = await write("known", learnsIdentity);
  const added = action === "add" ? await write("added", isNew) : 0;
  if (Object.keys(files).length > 0) await book.append(lock, { entry: "prints", files });
  const countOf = (isOf: (bits: number) => boolean): number =>
    states.reduce((sum, bits) => sum + (isOf(bits) ? 1 : 0), 0);
  const doubtful = countOf((bits) => (bits & EQUAL) !== 0 && (bits & DOUBTFUL) !== 0);
  const [gets, isAdded] = doubtful === 1 ? ["gets it", "is added"] : ["get it", "are added"];
  const later =
    doubtful === 0
      ? ""
      : `; ${showInteger(doubtful)} in doubt ${action === "identify" ? gets : isAdded} only once that is settled`;
  if (action === "identify") {
    const unknown = countOf(isNew);
    const one = unknown === 1;
    const others =
      unknown === 0
        ? ""
        : `; ${showInteger(unknown)} ${one ? "was" : "were"} not created by a push, and the ledger does not hold ${one ? "it" : "them"}`;
    tell(
      `${source.name}: ${showShare(learnt, spool.count, "create")} ${learnt === 1 ? "gets its" : "get their"} identity${later}${others}; nothing was sent (${run})`,
    );
    return;
  }
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
  { state, lock, target, exports, tell }: LedgerChange,
): Promise<void> {
  await closeFinished({ state, lock });
  const open = (await openLedger(state, target)).find(({ isOpen }) => isOpen);
  if (open !== undefined) throw openRunIn(open.run);
  const removed: RemovedCreates = {
    count: spool.count,
    scan: (take) => spool.scan((bytes, at) => take(bytes, at, false)),
  };
  const found = await removeCreates(state, lock, target, removed, identityFields(exports));
  const { name } = input.source;
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

/** It cannot be known which of several equal records are gone. */
function heldMore(file: string, lines: readonly number[], rows: number): RecPushError {
  const what = rows === 1 ? "a row was" : `${showInteger(rows)} rows were`;
  return new RecPushError(
    "input",
    "creates-unsure",
    `${file}: ${what} created more often than the file holds ${rows === 1 ? "it" : "them"} (${nameLines(lines, rows)}); nothing was taken out`,
    {
      hint: "write each row as often as it was created, then run the same command again\nif some of these records are still there, add them again after that: rec-push ledger add FILE --table NAME",
      place: { file, line: lines[0]! },
    },
  );
}

function noIdentity(): RecPushError {
  return new RecPushError("usage", "missing-argument", "no option says what identifies the records", {
    hint: "name the fields: --identify-by FIELDS, or identifyBy in a config",
  });
}

function openRunIn(run: string): RecPushError {
  return new RecPushError(
    "usage",
    "open-run",
    `the run ${run} on this table is open: what it created may still change`,
    {
      hint: `finish it first: rec-push resume ${run}\nor give it up: rec-push runs abandon ${run}`,
    },
  );
}

/** Throws a usage error if the identity names a field that no column of an input is sent as. */
export function refuseUnknownFields({ source, plan }: SurveyedInput, exports: ExportsOptions): void {
  const known = plan.fields.map(({ field }) => field);
  const unknown = identityFields(exports)?.find((field) => !known.includes(field));
  if (unknown === undefined) return;
  throw new RecPushError(
    "usage",
    "identity-unknown",
    `${source.name}: --identify-by names ${unknown}, and no column is sent as that field`,
    { hint: `name some of ${known.join(", ")}; or --identify-by record` },
  );
}

/**
 * How the creates of an input are compared with others; `identity` names fields that identify a record by themselves.
 */
export function comparisonOf(
  { fields, parts: { options } }: FieldPlan,
  identity?: readonly string[],
): ComparisonForm {
  const compared = fields.map(({ field, header, fallback }) => {
    // A format only says how cells are read; the values read are what is compared.
    const { kind } = typeOfField(field, options);
    const number = kind === "amount" || kind === "digits" ? kind : undefined;
    return { field, header, fallback, type: JSON.stringify({ kind }), number };
  });
  return new ComparisonForm(compared, identity);
}
