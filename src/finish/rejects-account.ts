import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { RecPushError } from "../model/failure.ts";
import type { RejectsFile } from "../model/run-end.ts";
import { notePlace, readKeptPlace, type RejectsPlace } from "./kept-place.ts";
import { PrivateFile } from "../state/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { VerdictLog } from "./verdict-log.ts";
import { writeRejects, type RowsWritten } from "./write-rejects.ts";

const NONE_INVALID = { invalid: 0, invalidBytes: 0 };

/** The rejects of one input. */
interface Account {
  place: RejectsPlace | undefined;
  /** The run's directory, if it is kept. */
  directory: string | undefined;
  /** SHA-256 of the files that this run wrote. */
  readonly sha256: Set<string>;
  /** Rows written by this process, or by an earlier run of the input. */
  written: RowsWritten | undefined;
}

/** The sources of the rejects of a command. */
export interface RejectsSource {
  readonly inputs: readonly SurveyedInput[];
  readonly verdicts: VerdictLog;
  /** Set when they are not waited for any longer. */
  readonly abort: AbortSignal;
}

/** Keeps the rejects files of a command; those of an input are written once it is settled. */
export class RejectsAccount {
  readonly #source: RejectsSource;
  readonly #accounts: readonly Account[];

  constructor(source: RejectsSource, places: readonly (RejectsPlace | undefined)[]) {
    this.#source = source;
    this.#accounts = source.inputs.map((_, at) => {
      return { place: places[at], directory: undefined, sha256: new Set(), written: undefined };
    });
  }

  /**
   * Throws usage if the place of an input holds rows that this run did not write, or that were changed since;
   * `directory` is that of the run that goes on.
   */
  async check(input: number, directory: string | undefined): Promise<void> {
    const account = this.#accounts[input]!;
    if (directory !== undefined) {
      const kept = await readKeptPlace(directory);
      account.place ??= kept.place ?? this.#placeIn(directory, input);
      for (const sha256 of kept.sha256) account.sha256.add(sha256);
    }
    if (account.place === undefined) return;
    for (const path of [account.place.rejects, account.place.superseded]) {
      const size = (await stat(path).catch(() => undefined))?.size ?? 0;
      if (size > 0 && !account.sha256.has(await hashOf(path))) throw holdsRows(path, directory);
    }
  }

  /** Fixes the place; if the survey has found invalid rows, a place that cannot be written shows before any is sent. */
  async begin(input: number, directory?: string): Promise<void> {
    const account = this.#accounts[input]!;
    account.directory = directory;
    if (directory !== undefined) {
      if (account.place !== undefined) await notePlace(directory, { place: absolute(account.place) });
      account.place ??= this.#placeIn(directory, input);
    }
    const { invalid, invalidBytes } = this.#source.inputs[input]!.report.counts ?? NONE_INVALID;
    if (account.place === undefined || invalid === 0) return;
    const probe = new PrivateFile(account.place.rejects, "rejects");
    try {
      await probe.reserve(invalidBytes);
    } finally {
      await probe.discard();
    }
  }

  /** Names the files again that an earlier run of the input left, as far as they still hold rows. */
  async recall(input: number, directory: string | undefined): Promise<void> {
    if (directory === undefined) return;
    const account = this.#accounts[input]!;
    const kept = await readKeptPlace(directory);
    const place = absolute(kept.place ?? this.#placeIn(directory, input));
    const rowsIn = async (path: string): Promise<number> => {
      const size = (await stat(path).catch(() => undefined))?.size ?? 0;
      return size > 0 ? (kept.rows.get(path) ?? 0) : 0;
    };
    account.place = place;
    account.written = {
      rejects: await rowsIn(place.rejects),
      superseded: await rowsIn(place.superseded),
    };
  }

  /**
   * Writes what has to be mended of these inputs, and puts apart what a later accepted row has superseded. To be called
   * for each input once it is settled, and at the end for all, since a later input may hold the later row.
   */
  async finish(inputs: readonly number[] = [...this.#source.inputs.keys()]): Promise<void> {
    for (const input of inputs) {
      const { place, directory, sha256 } = this.#accounts[input]!;
      if (place === undefined || !(await this.#source.verdicts.isChanged(input))) continue;
      const written = await writeRejects(
        this.#source.inputs[input]!,
        this.#source.verdicts.read(input),
        place,
        {
          abort: this.#source.abort,
          beforeCommit: async (file) => {
            sha256.add(file.sha256);
            if (directory !== undefined) await notePlace(directory, file);
          },
        },
      );
      this.#accounts[input]!.written = written;
      if (written.rejects === 0 && sha256.has(await hashOf(place.rejects).catch(() => ""))) {
        await rm(place.rejects, { force: true });
      }
    }
  }

  /** The files that hold rows. */
  get files(): readonly RejectsFile[] {
    return this.#accounts.flatMap(({ place, written }, input): RejectsFile[] => {
      if (place === undefined || written === undefined) return [];
      const { source, report } = this.#source.inputs[input]!;
      const about = { file: source.name, survey: report };
      return [
        { ...about, path: place.rejects, rows: written.rejects, isSuperseded: false },
        { ...about, path: place.superseded, rows: written.superseded, isSuperseded: true },
      ].filter(({ rows }) => rows > 0);
    });
  }

  #placeIn(directory: string, input: number): RejectsPlace {
    const isCsv = this.#source.inputs[input]!.report.reading.format === "csv";
    const extension = isCsv ? "csv" : "ndjson";
    return {
      rejects: join(directory, `rejects.${extension}`),
      superseded: join(directory, `superseded.${extension}`),
    };
  }
}

/** A run may go on in another directory. */
function absolute({ rejects, superseded }: RejectsPlace): RejectsPlace {
  return { rejects: resolve(rejects), superseded: resolve(superseded) };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

function holdsRows(path: string, directory: string | undefined): RecPushError {
  const what =
    directory === undefined
      ? "it already holds rows"
      : "it holds rows that this run did not write, or that were changed since";
  return new RecPushError("usage", "rejects-place", `the rejects cannot go to ${path}: ${what}`, {
    hint: "push or remove it first, or name another file with --rejects",
  });
}
