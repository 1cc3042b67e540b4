import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { RecPushError } from "../model/failure.ts";
import type { RejectsFile } from "../model/run-end.ts";
import { findSuperseded } from "./find-superseded.ts";
import { notePlace, readKeptPlace } from "./kept-place.ts";
import type { Review } from "./review-rejects.ts";
import { writeRejects, type RejectsPlace, type RowsWritten } from "./write-rejects.ts";

/** The rejects of one input. */
interface Account {
  place: RejectsPlace | undefined;
  /** The run's directory, where it is kept. */
  directory: string | undefined;
  /** SHA-256 of the files that this run wrote. */
  readonly sha256: Set<string>;
  /** What this process wrote. */
  written: RowsWritten | undefined;
  /** Rows that the service refused, or that were rejected as they were sent: at most. */
  more: number;
}

/** Keeps the rejects files of a command: invalid rows before an input is sent, refused ones once it is settled. */
export class RejectsAccount {
  readonly #review: Review;
  readonly #accounts: readonly Account[];

  constructor(review: Review, places: readonly (RejectsPlace | undefined)[]) {
    this.#review = review;
    this.#accounts = review.inputs.map((_, at) => {
      return { place: places[at], directory: undefined, sha256: new Set(), written: undefined, more: 0 };
    });
  }

  /**
   * Throws usage where the place of an input holds rows that this run did not write, or that were changed since;
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

  /** Writes the rows that the survey rejected, so that a disk that is full shows before the input is sent. */
  async begin(input: number, directory?: string): Promise<void> {
    const account = this.#accounts[input]!;
    account.directory = directory;
    if (directory !== undefined) {
      if (account.place !== undefined) await notePlace(directory, { place: absolute(account.place) });
      account.place ??= this.#placeIn(directory, input);
    }
    const { place } = account;
    if (place === undefined || this.#review.inputs[input]!.report.invalid === 0) return;
    // Of a run that goes on they are there, with what was refused.
    if ((await stat(place.rejects).catch(() => undefined))?.size) return;
    await this.#write(input, place, () => false);
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

  /** Takes rows that the service refused, or that were rejected as they were about to be sent. */
  note(input: number, rows: number): void {
    this.#accounts[input]!.more += rows;
  }

  /**
   * Adds what was refused, and puts apart what a later accepted row has superseded, among these inputs. To be called for
   * each input once it is settled, and at the end for all, since a later input may hold the later row.
   */
  async finish(inputs: readonly number[] = [...this.#review.inputs.keys()]): Promise<void> {
    const expected = this.#accounts.map(({ place, more }, at) => {
      const isMine = place !== undefined && inputs.includes(at) && !this.#review.leftOut.has(at);
      return isMine ? this.#review.inputs[at]!.report.invalid + more : 0;
    });
    if (expected.every((rows) => rows === 0)) return;
    const found = await findSuperseded(this.#review, expected, inputs);
    for (const input of inputs.filter((at) => expected[at]! > 0)) {
      const { place, written, sha256 } = this.#accounts[input]!;
      const { rejects, superseded, before, marks } = found[input]!;
      if (place === undefined || rejects === 0) continue;
      const isWritten = written?.rejects === rejects - superseded && written.superseded === superseded;
      if (!isWritten) await this.#write(input, place, (reject) => marks.has(before + reject));
      if (rejects === superseded && sha256.has(await hashOf(place.rejects).catch(() => ""))) {
        await rm(place.rejects, { force: true });
      }
    }
  }

  /** The files that hold rows. */
  get files(): readonly RejectsFile[] {
    return this.#accounts.flatMap(({ place, written }, input): RejectsFile[] => {
      if (place === undefined || written === undefined) return [];
      const { source, report } = this.#review.inputs[input]!;
      const about = { file: source.name, survey: report };
      return [
        { ...about, path: place.rejects, rows: written.rejects, isSuperseded: false },
        { ...about, path: place.superseded, rows: written.superseded, isSuperseded: true },
      ].filter(({ rows }) => rows > 0);
    });
  }

  async #write(input: number, place: RejectsPlace, isSuperseded: (reject: number) => boolean): Promise<void> {
    const account = this.#accounts[input]!;
    const { directory, sha256: known } = account;
    account.written = await writeRejects(this.#review, input, place, isSuperseded, async (file) => {
      known.add(file.sha256);
      if (directory !== undefined) await notePlace(directory, file);
    });
  }

  #placeIn(directory: string, input: number): RejectsPlace {
    const isCsv = this.#review.inputs[input]!.report.reading.format === "csv";
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
