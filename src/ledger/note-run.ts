import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunFacts, RunIdentity } from "../store/run-facts.ts";
import type { RunAccount } from "../store/count-run.ts";
import { NumberRanges } from "../store/number-ranges.ts";
import { appendWord, readIntactWords, readWords } from "../store/plan-hold.ts";
import { readJournal } from "../store/read-journal.ts";
import { nameTable } from "../store/run-mark.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { ledgerDirectory, targetOf } from "./ledger-target.ts";
import { type Origin, type TakePrint, widthOf, writeLedgerFile } from "./ledger-file.ts";

/**
 * Puts the creates of a closed run into the ledger of its target, after which its journal may be removed. To be
 * called before the run is marked as closed. `isLate`: called by another command than the one that pushed the run, or
 * for a shard of a plan that left rows.
 */
export async function noteRun(
  state: StateDirectory,
  facts: RunFacts,
  account: RunAccount,
  journal: string,
  isLate: boolean,
): Promise<void> {
  if (!account.hasCreates) return;
  const origin = originOf(facts, account, isLate);
  const width = widthOf(origin);
  await noteCreated(state, facts, account);
  const path = join(ledgerDirectory(state, facts.identity), facts.run);
  const counted = { ...origin, certain: 0, doubtful: 0 };
  await writeLedgerFile(path, counted, async (put) => {
    await scanJournal(journal, account, width, (bytes, at, isDoubtful) => {
      if (isDoubtful) {
        counted.doubtful += 1;
        return;
      }
      counted.certain += 1;
      put(bytes, at);
    });
    if (counted.doubtful === 0) return;
    await scanJournal(journal, account, width, (bytes, at, isDoubtful) => {
      if (isDoubtful) put(bytes, at);
    });
  });
}

/**
 * The ledger entry for the creates of a run. `isLate`: the command that pushed it was cut off before it could say how
 * it ended, or its plan left rows, so its user may deliver the rows again.
 */
export function originOf(
  { run, startedAt, file, identity, compared, totals, isRowsFile }: RunFacts,
  account: RunAccount,
  isLate: boolean,
): Origin {
  // A later push may have sent the rows that this run had left unsent, so they count even if all is settled now.
  const isWhole =
    !isLate &&
    account.ending !== undefined &&
    !account.isAbandoned &&
    account.processes === 1 &&
    !account.hasLeftDoubt &&
    account.count("refused") + account.count("inDoubt") + account.ending.counts.notSent === 0 &&
    totals.rejected === 0;
  return {
    kind: "created",
    run,
    startedAt,
    file,
    dbVersion: identity.dbVersion,
    content: identity.content,
    target: targetOf(identity),
    leavesRows: !isWhole || isRowsFile === true,
    ...(account.doubt === undefined ? {} : { doubt: account.doubt }),
    ...(totals.updates > 0 ? { updates: totals.updates } : {}),
    ...compared,
  };
}

/**
 * Passes on the prints of those creates of a run that the service accepted or may have, each once. `width` is the
 * size of a print in bytes. `account` is that of the same journal.
 */
export async function scanJournal(
  path: string,
  account: RunAccount,
  width: number,
  take: TakePrint,
): Promise<void> {
  const seen = new NumberRanges();
  await readJournal(path, (entry) => {
    if (entry.entry !== "intent" || entry.kind !== "create") return;
    const prints = Buffer.from(entry.prints, "base64");
    let at = -width;
    for (const [first, last] of entry.ordinals) {
      for (let ordinal = first; ordinal <= last; ordinal++) {
        at += width;
        const standing = account.standingOf("create", ordinal);
        if ((standing !== "accepted" && standing !== "inDoubt") || seen.has(ordinal)) continue;
        take(prints, at, standing === "inDoubt");
      }
      seen.add([first, last]);
    }
  });
}

/** The creates of one push. */
export interface CreatedPush extends Pick<RunIdentity, "content" | "runKey" | "queries"> {
  readonly run: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** As it was named at the time. */
  readonly file: string;
  /**
   * Creates that the service accepted or may have, of which the ledger has a file, so that its loss is noticed; none once
   * the user had them forgotten.
   */
  readonly creates: number;
  /**
   * True from its beginning to its closing, so that the loss of its mark or journal is noticed; absent once it has
   * made creates.
   */
  readonly isOpen?: boolean;
}

/** Notes that a run begins. */
export async function noteBegun({ created }: StateDirectory, facts: RunFacts): Promise<void> {
  await appendWord(join(created, nameTable(facts.identity.url)), {
    ...pushOf(facts),
    creates: 0,
    isOpen: true,
  });
}

/** Notes that it is not known what a run created: as one that is open and not there, it stops the creates of its table. */
export async function noteLost(
  { created }: StateDirectory,
  { run, startedAt, file, identity }: Pick<RunFacts, "run" | "startedAt" | "file" | "identity">,
): Promise<void> {
  const facts = pushOf({ run, startedAt, file, identity });
  await appendWord(join(created, nameTable(identity.url)), { ...facts, creates: 0, isOpen: true });
}

/** Notes that a run is no longer open, unless another entry already says so. Without `url` the run is looked for. */
export async function noteClosed({ created }: StateDirectory, run: string, url?: string): Promise<void> {
  const names = url === undefined ? await readdir(created).catch(() => []) : [nameTable(url)];
  for (const name of names) {
    const path = join(created, name);
    const push = lastWords(await readIntactWords<CreatedPush>(path)).find((word) => word.run === run);
    if (push?.isOpen === true) await appendWord(path, { ...push, isOpen: false });
  }
}

/** The runs that began and were not closed, of one table or of all. */
export async function readBegun({ created }: StateDirectory, url?: string): Promise<readonly string[]> {
  const names = url === undefined ? await readdir(created).catch(() => []) : [nameTable(url)];
  const begun: string[] = [];
  for (const name of names)
    for (const { run, isOpen } of lastWords(await readIntactWords<CreatedPush>(join(created, name))))
      if (isOpen === true) begun.push(run);
  return begun;
}

/** The name in the state of the table on which a run began and was not closed. */
export async function findBegunIn({ created }: StateDirectory, run: string): Promise<string | undefined> {
  for (const name of await readdir(created).catch(() => [])) {
    const words = lastWords(await readIntactWords<CreatedPush>(join(created, name)));
    if (words.some((word) => word.run === run && word.isOpen === true)) return name;
  }
  return undefined;
}

/** True if the creates of a run are in the ledger: it had ended then. */
export async function isNoted({ created }: StateDirectory, run: string, url: string): Promise<boolean> {
  const words = await readIntactWords<CreatedPush>(join(created, nameTable(url)));
  return words.some((word) => word.run === run && word.creates > 0);
}

function pushOf({
  run,
  startedAt,
  file,
  identity,
}: Pick<RunFacts, "run" | "startedAt" | "file" | "identity">): Omit<CreatedPush, "creates"> {
  const { content, runKey, queries } = identity;
  return {
    run,
    startedAt,
    file,
    content,
    runKey,
    ...(queries === undefined ? {} : { queries }),
  };
}

/** Notes the creates of a run that the ledger gets; nothing if it made none. */
async function noteCreated({ created }: StateDirectory, facts: RunFacts, account: RunAccount): Promise<void> {
  if (!account.hasCreates) return;
  const push: CreatedPush = {
    ...pushOf(facts),
    creates: account.countOf("create", "accepted") + account.countOf("create", "inDoubt"),
  };
  await appendWord(join(created, nameTable(facts.identity.url)), push);
}

/** The pushes that created records in a table, in the order in which they began. */
export async function readCreated({ created }: StateDirectory, url: string): Promise<readonly CreatedPush[]> {
  return lastWords(await readWords<CreatedPush>(join(created, nameTable(url)))).filter(
    ({ creates }) => creates > 0,
  );
}

/**
 * Forgets the creates of a push; returns how many there were and the name of its table in the state, or `undefined`
 * if none are noted.
 */
export async function forgetCreated(
  { created }: StateDirectory,
  run: string,
): Promise<{ readonly creates: number; readonly table: string } | undefined> {
  for (const name of await readdir(created).catch(() => [])) {
    const path = join(created, name);
    const push = lastWords(await readIntactWords<CreatedPush>(path)).find((word) => word.run === run);
    if (push === undefined || push.isOpen !== undefined) continue;
    await appendWord(path, { ...push, creates: 0 });
    return { creates: push.creates, table: name };
  }
  return undefined;
}

function lastWords(words: readonly CreatedPush[]): CreatedPush[] {
  return [...new Map(words.map((push) => [push.run, push])).values()].sort((a, b) =>
    a.startedAt < b.startedAt ? -1 : 1,
  );
}
