import { rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ROWS_KINDS, type RowsKind } from "../model/marker-columns.ts";
import type { RejectsFile } from "../model/run-end.ts";
import { isTabular } from "../model/reading.ts";
import { PrivateFile } from "../state/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { AskedPlace } from "./asked-place.ts";
import { hashOf } from "./claim-path.ts";
import { holdsRows } from "./holds-rows.ts";
import { REJECT_KINDS } from "./kept-place.ts";
import type { KnownFiles } from "./known-files.ts";
import { RowsPlace } from "./rows-place.ts";
import type { Verdict, VerdictLog } from "./verdict-log.ts";
import { writeRejects, type RowsFile } from "./write-rejects.ts";

const NONE_INVALID = { invalid: 0, invalidBytes: 0 };

/** The files of rows of one input. */
interface Account {
  readonly place: RowsPlace;
  /** Those written by this process, or by an earlier one for the same input. */
  readonly written: Map<RowsKind, RowsFile>;
  /** Those that the run before left. */
  readonly left: Map<RowsKind, RowsFile>;
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
}

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
        written: new Map(),
        left: new Map(),
        otherPlace: () => new RowsPlace(undefined, about),
      };
    });
  }

  /**
   * Throws a usage error if the place of an input holds rows that this run did not write, or that were changed since.
   * `directory` is that of the run that is resumed, `former` are those of earlier runs of the same content.
   */
  async check(input: number, directory: string | undefined, former: readonly string[] = []): Promise<void> {
    const { place, written } = this.#accounts[input]!;
    const kept = directory === undefined ? undefined : await place.takeUp(directory);
    await place.knowFormer(former);
    const changed = place.pathOf("changed");
    if (kept !== undefined && changed !== undefined)
      await this.#recallFile("changed", changed, kept, written);
    if (!place.isFixed) return;
    for (const kind of REJECT_KINDS) {
      const path = place.pathOf(kind);
      const size = path === undefined ? 0 : await sizeOf(path);
      if (path === undefined || size === 0) continue;
      const hash = await hashOf(path);
      if (!place.isOwn(hash) && !(await place.isAsWritten(path, hash))) throw holdsRows(path, directory);
    }
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
    const { place, written } = this.#accounts[input]!;
    if (directory !== undefined) await this.#recallFiles(place, directory, written, isPushed);
  }

  /** The same for a run that follows the earlier one and has files of its own. */
  async recallBeside(
    input: number,
    directory: string,
    isPushed: (path: string) => Promise<boolean>,
  ): Promise<void> {
    const { written, left, otherPlace } = this.#accounts[input]!;
    const own = new Set([...written.values()].map(({ path }) => resolve(path)));
    await this.#recallFiles(
      otherPlace(),
      directory,
      left,
      async (path) => own.has(resolve(path)) || isPushed(path),
    );
  }

  /** Writes rows that a process was killed before it wrote. Throws a usage error as {@link check} does. */
  async catchUp(input: number, directory: string): Promise<void> {
    await this.check(input, directory);
    await this.begin(input, directory);
    await this.finish([input]);
  }

  /**
   * Writes the rows of these inputs that have to be mended, and separates those that a later accepted row has
   * superseded. To be called for each input once it is settled, and for all at the end, because a later input may
   * hold the later row.
   */
  async finish(inputs: readonly number[] = [...this.#source.inputs.keys()]): Promise<void> {
    const { verdicts } = this.#source;
    for (const input of inputs) {
      const { place, written } = this.#accounts[input]!;
      const before = place.pathOf("rejects");
      if (before === undefined || !(await verdicts.isChanged(input))) continue;
      const kindOf = ({ isSuperseded }: Verdict): RowsKind => (isSuperseded ? "superseded" : "rejects");
      await this.#write(input, () => verdicts.read(input), kindOf, REJECT_KINDS);
      const path = written.has("rejects") ? undefined : before;
      if (path !== undefined && place.isOwn(await hashOf(path).catch(() => "")))
        await rm(path, { force: true });
    }
  }

  /** Writes creates that were created before with other values; returns the path, if there is a place. */
  async writeChanged(
    input: number,
    rows: () => AsyncIterable<readonly Verdict[]>,
  ): Promise<string | undefined> {
    const { place, written } = this.#accounts[input]!;
    if (place.pathOf("changed") === undefined) return undefined;
    await this.#write(input, rows, () => "changed", ["changed"]);
    return written.get("changed")?.path;
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
      const { source, report } = this.#source.inputs[input]!;
      const inOrder = ROWS_KINDS.flatMap((kind) =>
        [left.get(kind), written.get(kind)].flatMap((file) =>
          file === undefined ? [] : [{ kind, ...file }],
        ),
      );
      return inOrder.map(({ kind, path, rows }) => {
        return { file: source.name, survey: report, path, rows, kind, isSuperseded: kind === "superseded" };
      });
    });
  }

  async #write(
    input: number,
    rows: () => AsyncIterable<readonly Verdict[]>,
    kindOf: (verdict: Verdict) => RowsKind,
    kinds: readonly RowsKind[],
  ): Promise<void> {
    const { place, written } = this.#accounts[input]!;
    const found = await place.orInRun(() =>
      writeRejects(this.#source.inputs[input]!, rows(), {
        kindOf,
        draftOf: (kind) => place.pathOf(kind)!,
        place: (file) => place.claim(file),
        abort: this.#source.abort,
      }),
    );
    for (const kind of kinds) written.delete(kind);
    for (const [kind, file] of found) written.set(kind, file);
  }

  async #recallFiles(
    place: RowsPlace,
    directory: string,
    found: Map<RowsKind, RowsFile>,
    isPushed: (path: string) => Promise<boolean>,
  ): Promise<void> {
    const kept = await place.recall(directory);
    for (const kind of REJECT_KINDS) {
      const path = place.pathOf(kind)!;
      if (!(await isPushed(path))) await this.#recallFile(kind, path, kept, found);
    }
  }

  async #recallFile(
    kind: RowsKind,
    path: string,
    kept: ReadonlyMap<string, number>,
    written: Map<RowsKind, RowsFile>,
  ): Promise<void> {
    const rows = kept.get(resolve(path)) ?? 0;
    if (rows > 0 && (await sizeOf(path)) > 0) written.set(kind, { path, rows });
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
