import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunAccount } from "../journal/run-account.ts";
import { RecPushError } from "../model/failure.ts";
import type { RecordList } from "../model/record-list.ts";
import { recordJson, type PreparedRecord } from "../model/record.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import { selectionOf, selectRecords } from "../prepare/select.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { replaceFile } from "../state/atomic-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** The file in a run's directory with prints of its creates, and of the updates that it left to be sent. */
const NAME = "left-records";

/** If a run leaves more than this, it cannot be proven that a later push took them over. */
const MOST_RECORDS = 100_000;

const PRINT_BYTES = 16;

interface LeftRecords {
  /** The number of doubts decided on then; a later decision may leave other records. */
  readonly decisions: number;
  /** The prints in base64, one after the other. */
  readonly prints: string;
}

/** The records of an input as they are sent, without those that a later row replaces. */
export async function* recordsOf(input: SurveyedInput, read: ReadOptions): AsyncGenerator<RecordList> {
  const prepared = prepareRecords(input, { read });
  for await (const { records } of selectRecords(prepared, selectionOf(input))) yield records;
}

/** Equal for records that are sent as the same bytes. */
export function printRecord(record: PreparedRecord): Buffer {
  return createHash("sha256").update(recordJson(record)).digest().subarray(0, PRINT_BYTES);
}

/**
 * Notes the records of a surveyed run that is not finished, so that it can be proven later that another push took them
 * over. Without the note the run only stays open: if something cannot be read or written, no note is left.
 */
export async function noteLeftRecords(
  directory: string,
  account: RunAccount,
  input: SurveyedInput,
  read: ReadOptions,
): Promise<void> {
  const { counts: found } = input.report;
  if (found === undefined || found.updates + found.creates > MOST_RECORDS) return;
  const prints: Buffer[] = [];
  try {
    for await (const records of recordsOf(input, read)) {
      for (const record of records) {
        const { kind } = record;
        const standing = account.standingOf(kind, record.ordinal);
        // An equal create of a later file may be the one that was already sent, so both have to be there.
        const counts = standing === undefined || (kind === "create" && standing !== "refused");
        if (counts) prints.push(printRecord(record));
      }
    }
    const left: LeftRecords = {
      decisions: account.decided.size,
      prints: Buffer.concat(prints).toString("base64"),
    };
    await replaceFile(join(directory, NAME), JSON.stringify(left));
  } catch (error) {
    if (error instanceof RecPushError || (error as NodeJS.ErrnoException).code !== undefined) return;
    throw error;
  }
}

/**
 * How often a later push has to hold each record, by its print; `undefined` if that was not noted, or may have changed
 * since.
 */
export async function readLeftRecords(
  directory: string,
  account: RunAccount,
): Promise<Map<string, number> | undefined> {
  let left: LeftRecords;
  try {
    left = JSON.parse(await readFile(join(directory, NAME), "utf8")) as LeftRecords;
  } catch {
    return undefined;
  }
  const prints = Buffer.from(left.prints, "base64");
  if (left.decisions !== account.decided.size || prints.length === 0) return undefined;
  const found = new Map<string, number>();
  for (let at = 0; at < prints.length; at += PRINT_BYTES) {
    const print = prints.toString("hex", at, at + PRINT_BYTES);
    found.set(print, (found.get(print) ?? 0) + 1);
  }
  return found;
}
