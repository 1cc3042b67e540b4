import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { SurveyReport } from "../model/counts.ts";
import type { MendCommand, RejectsFile } from "../model/exit-code.ts";
import { IN_PART } from "../model/marker-columns.ts";
import { isTabular } from "../model/reading.ts";
import { PrivateFile } from "../store/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { AskedPlace } from "./kept-place.ts";
import { type KnownFiles, RowsPlace } from "./rows-place.ts";
import type { LaterRow, VerdictLog } from "./verdict-log.ts";
import { type RowsFile, writeRejects } from "./write-rejects.ts";

const NONE_INVALID = { invalid: 0, invalidBytes: 0 };

/** A rejects file. */
interface RejectsOfInput extends RowsFile {
  /** How many of its rows are overtaken by later rows of the command, as far as that is known. */
  readonly later: number;
  readonly mend: MendCommand | undefined;
}

/** The rejects files of one input. */
interface Account {
  readonly place: RowsPlace;
  /** The one that this process wrote, or an earlier one for the same input. */
  written?: RejectsOfInput | undefined;
  /** The file that the earlier run left. */
  left?: RejectsOfInput | undefined;
  /** A place that another run of the input chose. */
  readonly otherPlace: () => RowsPlace;
}

/** The sources of the files of a command. */
export interface RejectsSource {
  readonly inputs: readonly SurveyedInput[];
  readonly verdicts: VerdictLog;
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

/**
 * Manages the files of rows that a person has to look at after a command; rejects are written once their input is
 * settled.
 */
export class RejectsAccount {
  readonly #source: RejectsSource;
  readonly #accounts: readonly Account[];

  constructor(source: RejectsSource, places: readonly (AskedPlace | undefined)[]) {
    this.#source = source;
    const taken = new Set<string>();
    this.#accounts = source.inputs.map(({ report, source: { name } }, at) => {
      const tell = (text: string): void => source.tell(name, text);
      const about = { isCsv: isTabular(report.reading.format), taken, tell, known: source.known };
      return {
        place: new RowsPlace(places[at], about),
        otherPlace: () => new RowsPlace(undefined, about),
      };
    });
  }

  /** Takes over the place that an earlier process of the run in that directory chose. */
  async takeUp(input: number, directory: string): Promise<void> {
    await this.#accounts[input]!.place.takeUp(directory);
  }

  /**
   * Fixes the place. If the survey found invalid rows, a place that cannot be written to is reported before any row
   * is sent.
   */
  async begin(input: number, directory?: string): Promise<void> {
    const { place } = this.#accounts[input]!;
    await place.begin(directory);
    const { invalid, invalidBytes } = this.#source.inputs[input]!.report.counts ?? NONE_INVALID;
    if (place.pathOf("rejects") === undefined || invalid === 0) return;
    await place.orInRun(async () => {
      const probe = new PrivateFile(place.pathOf("rejects")!, "rejects");
      try {
        await probe.reserve(invalidBytes);
      } finally {
        await probe.discard();
      }
    });
  }

  /**
   * Reports again the files that an earlier run of the input left, as far as they still hold rows that nobody pushed.
   */
  async recall(
    input: number,
    directory: string | undefined,
    isPushed: (path: string) => Promise<boolean>,
  ): Promise<void> {
    const account = this.#accounts[input]!;
    if (directory !== undefined) account.written = await recallFile(account.place, directory, isPushed);
  }

  /** Like {@link recall}, for a run that has files of its own. */
  async recallBeside(
    input: number,
    directory: string,
    isPushed: (path: string) => Promise<boolean>,
  ): Promise<void> {
    const account = this.#accounts[input]!;
    const own = account.written && resolve(account.written.path);
    account.left = await recallFile(
      account.otherPlace(),
      directory,
      async (path) => own === resolve(path) || isPushed(path),
    );
  }

  /** Writes rows that a process was killed before it wrote. */
  async catchUp(input: number, directory: string): Promise<void> {
    await this.takeUp(input, directory);
    await this.begin(input, directory);
    await this.finish([input]);
  }

  /**
   * Writes the rows of these inputs that have to be mended. To be called for each input once it is settled, and for all
   * at the end, because a later input may hold a later row with the key of one.
   */
  async finish(inputs: readonly number[] = [...this.#source.inputs.keys()]): Promise<void> {
    const { verdicts, inputs: all, abort, mendCommand } = this.#source;
    for (const input of inputs) {
      const account = this.#accounts[input]!;
      const { place } = account;
      if (place.pathOf("rejects") === undefined || !(await verdicts.isChanged(input))) continue;
      let later = 0;
      const { report } = all[input]!;
      const file = await place.orInRun(() => {
        later = 0;
        return writeRejects(all[input]!, verdicts.read(input), {
          kind: "rejects",
          cellsOf: (row) => {
            if (row.later?.isWhole === true) later += 1;
            return [place.run ?? "", row.line, row.field, row.reason, this.#nameLater(input, row.later)];
          },
          draft: place.pathOf("rejects")!,
          place: (complete) =>
            place.claim(complete, (path) => ({ later, mend: mendCommand?.(path, report).anywhere })),
          abort,
        });
      });
      if (file !== undefined)
        account.written = { ...file, later, mend: mendCommand?.(file.path, report).here };
    }
  }

  /** The line of a later row, with its file if that is another one. */
  #nameLater(input: number, later: LaterRow | undefined): string {
    if (later === undefined) return "";
    const file = later.input === input ? "" : `${this.#source.inputs[later.input]!.source.name}:`;
    const line = `${file}${later.line}`;
    return later.isWhole ? line : `${line}${IN_PART}`;
  }

  /** Calls `write` with the place for the rows in doubt of the run of a directory. */
  async placeDoubt<Result>(
    input: number,
    directory: string,
    write: (path: string) => Promise<Result>,
  ): Promise<Result> {
    const { place } = this.#accounts[input]!;
    if (!place.isBegun) {
      await place.takeUp(directory);
      await place.begin(directory);
    }
    return place.orInRun(() => write(place.pathOf("inDoubt")!));
  }

  /** The files that hold rows. */
  get files(): readonly RejectsFile[] {
    return this.#accounts.flatMap(({ written, left }, input): RejectsFile[] => {
      const { source } = this.#source.inputs[input]!;
      return [left, written].flatMap((file) => (file === undefined ? [] : [{ file: source.name, ...file }]));
    });
  }
}

/** The rejects file that the run of a directory wrote, if it still holds rows that nobody pushed. */
async function recallFile(
  place: RowsPlace,
  directory: string,
  isPushed: (path: string) => Promise<boolean>,
): Promise<RejectsOfInput | undefined> {
  const kept = await place.recall(directory);
  const path = place.pathOf("rejects")!;
  const rows = kept.rows.get(resolve(path)) ?? 0;
  if (rows === 0 || (await sizeOf(path)) === 0 || (await isPushed(path))) return undefined;
  const { later = 0, mend } = kept.mends.get(resolve(path)) ?? {};
  return { path, rows, later, mend };
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
