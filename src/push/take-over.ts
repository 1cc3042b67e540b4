import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { EXIT } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import { type PreparedRecord, recordJson } from "../model/settlement.ts";
import { eachRecord } from "../prepare/stream.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { KeyNotes } from "../store/later-keys.ts";
import type { OpenRun } from "../store/open-run.ts";
import type { RunFacts } from "../store/run-facts.ts";
import { loadRun, stateOf, type StoredRun } from "../store/summarise-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { abandonOpen } from "./forget-run.ts";
import { laterKeysOf } from "./overtaken.ts";
import type { RunKeeping } from "./push-request.ts";

/** What is open on the table beside a run that has just ended. */
interface Beside {
  /** A run that is taken over is taken out. */
  readonly openRuns: Set<string>;
  readonly keeping: RunKeeping;
  readonly read: ReadOptions;
  readonly tell: (text: string) => void;
}

/**
 * Notes the records that a run left to be sent. If it left none, closes open runs that would not go on, if their creates are all among
 * its records, as the same bytes and at least as often, and the updates they left to be sent are overtaken; tells of each. What they
 * left in doubt stays.
 */
export async function noteWhatIsLeft(
  by: OpenRun,
  input: SurveyedInput,
  { openRuns, keeping, read, tell }: Beside,
): Promise<void> {
  const { account } = by;
  const state = stateOf(account);
  if (state === "unfinished") return noteLeftRecords(by, input, read);
  const unsent = account.count("refused") + account.count("failed") + account.count("absent");
  if (state !== "finished" || unsent > 0) return;
  for (const name of openRuns) {
    if (name === by.name) continue;
    const stored = await loadRun(keeping.state, name).catch(() => undefined);
    if (stored === undefined || stateOf(stored.account) !== "unfinished") continue;
    if (!mayBeTakenOver(stored, account.facts)) continue;
    if (!(await areTakenOver(stored, input, keeping, read))) continue;
    await abandonOpen(keeping, stored, by.name);
    openRuns.delete(name);
    tell(`the run ${name} is taken over: all that it had not sent is in ${input.source.name}`);
  }
}

/**
 * True for an older run to the same target whose file has changed or is gone, or whose database version the service refused: it was
 * replaced by another.
 */
function mayBeTakenOver({ account, facts }: StoredRun, by: RunFacts): boolean {
  const target = (of: RunFacts): string => {
    const { url, runKey, queries } = of.identity;
    return JSON.stringify([url, runKey, queries, of.again === true]);
  };
  if (target(facts) !== target(by)) return false;
  const { identity, path } = facts;
  if (identity.dbVersion !== by.identity.dbVersion) return account.ending?.exitCode === EXIT.request;
  if (path === undefined || identity.content === by.identity.content) return false;
  return path === by.path || !existsSync(path);
}

/** True if the creates of a run are among the records of an input, and all its other updates were overtaken. */
async function areTakenOver(
  { run, account: { left } }: StoredRun,
  input: SurveyedInput,
  keeping: RunKeeping,
  read: ReadOptions,
): Promise<boolean> {
  if (left === undefined) return false;
  const { creates, updates } = left;
  // Its rejects are still to be written.
  if (creates.length === 0 && updates === undefined) return false;
  const keys = updates && (await laterKeysOf(keeping, run));
  if (updates !== undefined && keys?.overtakeAll(updates) !== true) return false;
  return creates.length === 0 || holdsAll(creates, input, read);
}

/** True if an input holds each of these creates at least as often. */
async function holdsAll(
  creates: readonly string[],
  input: SurveyedInput,
  read: ReadOptions,
): Promise<boolean> {
  const left = new Map<string, number>();
  for (const print of creates) left.set(print, (left.get(print) ?? 0) + 1);
  await eachRecord(input, { read }, (record) => {
    if (record.kind === "update") return;
    const print = printRecord(record);
    const count = left.get(print);
    if (count === 1) left.delete(print);
    else if (count !== undefined) left.set(print, count - 1);
  });
  return left.size === 0;
}

/** If a run leaves more than this, it cannot be proven that a later push took them over. */
const MOST_RECORDS = 100_000;

/** Equal for records that are sent as the same bytes. */
function printRecord(record: PreparedRecord): string {
  return createHash("sha256").update(recordJson(record)).digest("base64").slice(0, 24);
}

/**
 * Notes the records of a run that is not finished, so that it can be proven later that another push took them over. Without
 * the note the run only stays open: if something cannot be read or written, there is none.
 */
async function noteLeftRecords(run: OpenRun, input: SurveyedInput, read: ReadOptions): Promise<void> {
  const { counts: found } = input.report;
  if (found === undefined || found.updates + found.creates > MOST_RECORDS) return;
  const creates: string[] = [];
  const updates = new KeyNotes();
  try {
    await eachRecord(input, { read }, (record) => {
      const { kind } = record;
      const standing = run.account.standingOf(kind, record.ordinal);
      // An equal create of a later file may be the one that was already sent, so both have to be in it.
      if (kind === "create" && standing !== "refused") creates.push(printRecord(record));
      if (standing === undefined) updates.add(record);
    });
    run.noteLeft({ creates, updates: updates.noted });
  } catch (error) {
    if (error instanceof RecPushError || (error as NodeJS.ErrnoException).code !== undefined) return;
    throw error;
  }
}
