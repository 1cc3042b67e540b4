import { basename, resolve } from "node:path";
import type { DoubtFile, SurveyReport } from "../model/counts.ts";
import type { MendCommand, RejectsFile } from "../model/exit-code.ts";
import { IN_PART, NOT_KNOWN } from "../model/marker-columns.ts";
import { isTabular } from "../model/reading.ts";
import { fieldsOf } from "../model/settlement.ts";
import type { RunAccount } from "../store/count-run.ts";
import { bookOf } from "../store/find-books.ts";
import { PrivateFile } from "../store/private-file.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { createLineNames, findDoubtFile, removeDoubtFiles, spellDoubtedRow } from "./doubt-files.ts";
import { type AskedPlace, readKeptPlace, sizeOf } from "./kept-place.ts";
import { type EndedRow, type RowEnds, whyInDoubt, whyRejected } from "./row-ends.ts";
import { type KnownFiles, RowsPlace } from "./rows-place.ts";
import { type PlacedRow, type RowsFile, writeRows } from "./write-rows.ts";

/** A rejects file. */
interface RejectsOfInput extends RowsFile {
  /** How many of its rows are overtaken by later rows of the input, as far as that is known. */
  readonly later: number;
  readonly mend: MendCommand | undefined;
}

/** The rejects files of one input. */
interface Account {
  readonly place: RowsPlace;
  /** The one that this process wrote. */
  written?: RejectsOfInput | undefined;
  /** The one that an earlier run left. */
  left?: RejectsOfInput | undefined;
}

/** The sources of the files of a command. */
interface RowsSource {
  readonly inputs: readonly SurveyedInput[];
  readonly ends: RowEnds;
  /** False if an invalid row stops the run: it is then mended in the file itself. */
  readonly leavesInvalidOut: boolean;
  /** Set when the files are no longer waited for. */
  readonly abort: AbortSignal;
  /** Reports a file to the user. */
  readonly tell: (file: string, text: string) => void;
  /** `undefined` if nothing is kept. */
  readonly known: KnownFiles | undefined;
  readonly mendCommand: MendCommandOf | undefined;
}

/** The command that pushes rejects: from the directory of the command, and from any. */
export type MendCommandOf = (
  path: string,
  survey: SurveyReport,
) => { readonly here: MendCommand; readonly anywhere: MendCommand };

/** A row to be mended, and why. */
interface Reject {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly why: NonNullable<ReturnType<typeof whyRejected>>;
}

/** So many rejects of an input are held in memory; with more, it is read once more to write them. */
const MOST_HELD = 10_000;

/** Manages the files of rows that a person has to look at after a command: rejects, and rows in doubt. */
export class RowsFiles {
  /** The files of rows in doubt, one per run. */
  readonly doubtFiles: DoubtFile[] = [];
  readonly #source: RowsSource;
  readonly #accounts: readonly Account[];

  constructor(source: RowsSource, places: readonly (AskedPlace | undefined)[]) {
    this.#source = source;
    const taken = new Set<string>();
    this.#accounts = source.inputs.map(({ report, source: { name } }, at) => {
      const tell = (text: string): void => source.tell(name, text);
      const about = { isCsv: isTabular(report.reading.format), taken, tell, known: source.known };
      return { place: new RowsPlace(places[at], about) };
    });
  }

  /** Takes over the place that an earlier process of a run chose. */
  takeUp(input: number, run: StoredRun): void {
    this.#accounts[input]!.place.takeUp(run);
  }

  /**
   * Fixes the place. If the survey found invalid rows, a place that cannot be written to is reported before any row
   * is sent.
   */
  async begin(input: number, directory?: string): Promise<void> {
    const { place } = this.#accounts[input]!;
    place.begin(directory);
    const { invalid } = this.#source.inputs[input]!.report.counts;
    if (place.pathOf("rejects") === undefined || invalid === 0) return;
    const probe = new PrivateFile(place.pathOf("rejects")!, "rejects");
    try {
      await probe.create();
    } finally {
      await probe.discard();
    }
  }

  /** Reports again the rejects that the run of a directory left, as far as they still hold rows that nobody pushed. */
  async recall(input: number, directory: string): Promise<void> {
    const { known } = this.#source;
    if (known === undefined) return;
    const account = this.#accounts[input]!;
    const book = await bookOf(known.state, known.lock.table);
    const { rejects } = readKeptPlace({ book, directory });
    if (rejects === undefined || (await sizeOf(rejects.path)) === 0) return;
    const { path, rows, later = 0, mend } = rejects;
    const isOwn = account.written !== undefined && resolve(account.written.path) === resolve(path);
    if (!isOwn && book.takerOf(basename(directory)) === undefined) account.left = { path, rows, later, mend };
  }

  /** Writes the rows of an input that have to be mended, once it is settled. */
  async finish(input: number): Promise<void> {
    const { inputs, ends, leavesInvalidOut, abort, mendCommand } = this.#source;
    const { report } = inputs[input]!;
    const account = this.#accounts[input]!;
    const { place } = account;
    const hasRejects = ends.hasRefused(input) || (leavesInvalidOut && report.counts.invalid > 0);
    const draft = place.pathOf("rejects");
    if (!hasRejects || draft === undefined) return;
    const laterRows = new LaterRows();
    const held: Reject[] = [];
    for await (const rows of ends.rows(input))
      for (const row of rows) {
        const why = this.#whyRejected(row);
        if (why !== undefined && held.length <= MOST_HELD) held.push(rejectOf(row, why));
        if (why !== undefined || row.how.outcome === "accepted") laterRows.addRow(row);
      }
    const rejects = held.length <= MOST_HELD ? held : this.#readRejects(input);
    let later = 0;
    const file = await writeRows(
      inputs[input]!,
      placeRejects(rejects, place.run, laterRows, () => (later += 1)),
      {
        kind: "rejects",
        draft,
        place: (complete) =>
          place.claim(complete, (path) => ({ later, mend: mendCommand?.(path, report).anywhere })),
        abort,
      },
    );
    if (file !== undefined) account.written = { ...file, later, mend: mendCommand?.(file.path, report).here };
  }

  async *#readRejects(input: number): AsyncGenerator<Reject> {
    for await (const rows of this.#source.ends.rows(input)) {
      for (const row of rows) {
        const why = this.#whyRejected(row);
        if (why !== undefined) yield rejectOf(row, why);
      }
    }
  }

  #whyRejected(row: EndedRow): ReturnType<typeof whyRejected> {
    return row.rejected !== undefined && !this.#source.leavesInvalidOut ? undefined : whyRejected(row);
  }

  /**
   * Writes the present doubt of the run in a directory, unless its file is already there, and removes the files of earlier
   * doubt. A file that was changed is neither replaced nor removed.
   */
  async writeDoubt(input: number, directory: string, account: RunAccount): Promise<void> {
    const { inputs, known, abort } = this.#source;
    if (known === undefined) return;
    const { doubt, facts } = account;
    const { run } = facts;
    const noted = { book: await bookOf(known.state, known.lock.table), directory };
    const there = await findDoubtFile({ ...noted, account });
    if (there !== undefined) this.doubtFiles.push({ ...there, run });
    else if (doubt !== undefined) {
      const { place } = this.#accounts[input]!;
      const file = await writeRows(inputs[input]!, this.#rowsInDoubt(input, { run, doubt }), {
        kind: "inDoubt",
        draft: place.pathOf("inDoubt")!,
        place: (complete) => place.claim(complete, () => ({ doubt })),
        abort,
      });
      if (file !== undefined) this.doubtFiles.push({ run, ...file });
    }
    await removeDoubtFiles(noted, doubt);
  }

  async *#rowsInDoubt(
    input: number,
    of: { readonly run: string; readonly doubt: string },
  ): AsyncGenerator<PlacedRow> {
    const nameLine = createLineNames();
    for await (const rows of this.#source.ends.rows(input)) {
      for (const row of rows) {
        const why = whyInDoubt(row);
        if (why === undefined) continue;
        const { start, end, line } = row;
        yield {
          start,
          end,
          cells: [spellDoubtedRow({ line: nameLine(line), ...of }), why.field, why.reason],
        };
      }
    }
  }

  /** The files that hold rejects. */
  get rejectsFiles(): readonly RejectsFile[] {
    return this.#accounts.flatMap(({ written, left }, input): RejectsFile[] => {
      const { source } = this.#source.inputs[input]!;
      return [left, written].flatMap((file) => (file === undefined ? [] : [{ file: source.name, ...file }]));
    });
  }
}

function rejectOf({ start, end, line }: EndedRow, why: Reject["why"]): Reject {
  return { start, end, line, why };
}

/** Calls `onOvertaken` for each that is overtaken. */
async function* placeRejects(
  rejects: AsyncIterable<Reject> | Iterable<Reject>,
  run: string | undefined,
  laterRows: LaterRows,
  onOvertaken: () => void,
): AsyncGenerator<PlacedRow> {
  for await (const { start, end, line, why } of rejects) {
    const later = laterRows.of(start);
    if (later !== "unknown" && later?.isWhole === true) onOvertaken();
    yield { start, end, cells: [run ?? "", line, why.field, why.reason, nameLater(later)] };
  }
}

/** The line of a later row for the column that names it. */
function nameLater(later: ReturnType<LaterRows["of"]>): string {
  if (later === undefined || later === "unknown") return later === undefined ? "" : NOT_KNOWN;
  return later.isWhole ? String(later.line) : `${later.line}${IN_PART}`;
}

/** So many rejects of an input are compared with later rows; a parameter for tests only. */
const MOST_REJECTS = 131_072;

/** The line of a later accepted row, and whether it and others give all fields of the reject, or only some. */
interface LaterRow {
  readonly line: number;
  readonly isWhole: boolean;
}

/** A reject, and its fields that no later row has given so far. */
interface WaitingReject {
  readonly start: number;
  readonly missing: Set<string>;
}

/**
 * Finds the rejects of an input that are overtaken: later rows with their key were accepted, and give all their fields, or some. Rows
 * are to be added in their order. Of rejects after the most that are held, nothing is known: a person has to say whether their mended
 * rows may be sent. Rows of other inputs are compared by the keys that their runs note, once the mended rows are pushed.
 */
export class LaterRows {
  readonly #mostRejects: number;
  readonly #waiting = new Map<string, WaitingReject[]>();
  /** By start of the reject. */
  readonly #found = new Map<number, LaterRow>();
  #rejects = 0;
  /** Where the first reject begins of which nothing is known. */
  #firstUnknown = Infinity;

  constructor(mostRejects = MOST_REJECTS) {
    this.#mostRejects = mostRejects;
  }

  /** Adds a row that is accepted, or a reject. */
  addRow({
    line,
    start,
    rejected,
    record,
    how,
  }: Pick<EndedRow, "line" | "start" | "rejected" | "record" | "how">): void {
    const key = (record ?? rejected)?.key;
    if (key === undefined) return;
    const rejects = this.#waiting.get(key) ?? [];
    if (how.outcome !== "accepted") {
      const fields = record === undefined ? (rejected?.fields ?? []) : fieldsOf(record);
      if (this.#rejects++ < this.#mostRejects) {
        rejects.push({ start, missing: new Set(fields) });
        this.#waiting.set(key, rejects);
      } else this.#firstUnknown = Math.min(this.#firstUnknown, start);
    } else if (record !== undefined && rejects.length > 0) {
      const fields = fieldsOf(record);
      const left = rejects.filter((reject) => !this.#overtakes(line, fields, reject));
      if (left.length === 0) this.#waiting.delete(key);
      else this.#waiting.set(key, left);
    }
  }

  /** The row that overtakes the reject that begins there, or gives some of its fields. */
  of(start: number): LaterRow | "unknown" | undefined {
    return start >= this.#firstUnknown ? "unknown" : this.#found.get(start);
  }

  /** True if no field of the reject is missing any more. */
  #overtakes(line: number, fields: readonly string[], { start, missing }: WaitingReject): boolean {
    const before = missing.size;
    for (const field of fields) missing.delete(field);
    const isWhole = missing.size === 0;
    if (isWhole || (missing.size < before && !this.#found.has(start)))
      this.#found.set(start, { line, isWhole });
    return isWhole;
  }
}
