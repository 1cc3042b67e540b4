import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { replaceFile } from "./private-file.ts";
import { type JournalEntry, type OutcomeEntry, readJournal, type Stretch } from "./read-journal.ts";
import { cannotUse } from "./state-directory.ts";
import { type StoredRun, summariseRun } from "./summarise-run.ts";

/** The file in a run's directory that holds the state of the run as JSON. */
export const REPORT = "report.json";

type ReportedRun = Pick<StoredRun, "run" | "directory" | "facts" | "account">;

/**
 * Writes the state of a run, with every range of rows that was refused, failed or is in doubt; an earlier report is
 * replaced as a whole or not at all. If there are any, the journal is read again, so that memory stays flat
 * however many there are.
 */
export async function writeReport(run: ReportedRun): Promise<void> {
  const path = join(run.directory, REPORT);
  try {
    await replaceFile(path, ({ fd }) => writeTo(fd, run));
  } catch (cause) {
    throw cause instanceof RecPushError ? cause : cannotUse(path, cause);
  }
}

async function writeTo(file: number, run: ReportedRun): Promise<void> {
  const { counts, doubts, ...about } = summariseRun(run);
  writeFileSync(file, `${JSON.stringify({ ...about, ...counts }).slice(0, -1)},"stretches":[`);
  let separator = "\n";
  const add = (fields: object): void => {
    writeFileSync(file, separator + JSON.stringify(fields));
    separator = ",\n";
  };
  // Each process sends failed records again, so only the last one's outcomes count.
  let failed: OutcomeEntry[] = [];
  const doubtful = new Map<string, OutcomeEntry>();
  const { account } = run;
  const hasStretches = account.count("refused") + account.count("failed") + doubts.length > 0;
  if (hasStretches)
    await readJournal(join(run.directory, "journal"), (entry: JournalEntry) => {
      if (entry.entry === "begin") failed = [];
      if (entry.entry !== "outcome") return;
      if (entry.outcome === "refused") add(describe(entry));
      if (entry.outcome === "failed") failed.push(entry);
      if (entry.outcome === "inDoubt") doubtful.set(nameOf(entry), entry);
    });
  for (const entry of failed) add(describe(entry));
  for (const doubt of doubts) {
    const { status, msg, attempts } = doubtful.get(nameOf(doubt)) ?? {};
    add({ outcome: "inDoubt", ...place(doubt), rows: doubt.records, status, msg, attempts });
  }
  writeFileSync(file, "\n]}\n");
}

function describe(entry: OutcomeEntry): object {
  const { ordinals, outcome, status, msg, attempts } = entry;
  const rows = ordinals.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  return { outcome, ...place(entry), rows, status, msg, attempts };
}

function place({ batch, kind, lines: [first, last] }: Pick<Stretch, "batch" | "kind" | "lines">): object {
  return { batch, kind, first, last };
}

function nameOf({ batch, kind, lines: [first] }: Pick<Stretch, "batch" | "kind" | "lines">): string {
  return `${kind} ${batch} ${first}`;
}
