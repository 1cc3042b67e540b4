import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { FieldOptions } from "../fields/field-options.ts";
import { showCountIs, type SurveyCounts } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import { quoteText } from "../model/text.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { openSource } from "../read/source/open-source.ts";
import type { Source } from "../read/source/source.ts";
import { RepeatedKeys } from "./repeated-keys.ts";
import { type SurveyedInput, surveyInput, type SurveyListener } from "./survey-input.ts";

/** The options of the first pass. */
export interface SurveyRequest {
  readonly read: ReadOptions;
  readonly fields: FieldOptions;
  /** How rows with the same key are treated; `all` by default. */
  readonly onRepeat?: OnRepeat;
  /** The inputs were surveyed before, by a plan: gives what was found. */
  readonly surveyed?:
    ((source: Source, at: number, drain: AbortSignal) => Promise<SurveyedInput>) | undefined;
}

/** An input that cannot be read with certainty as a whole. */
export interface UncertainInput {
  readonly source: Source;
  readonly failure: RecPushError;
}

/**
 * The first pass over one input after the other: nothing is sent before every one of them is surveyed. If one cannot
 * be read with certainty, the questions about the others are still reported; invalid rows are judged by
 * `stopOnInvalidRows`.
 */
export async function* surveyInputs(
  { sources, spoolDirectory }: Omit<OpenInputs, "close">,
  request: SurveyRequest,
  drain: AbortSignal,
  emit: SurveyListener["emit"],
): AsyncGenerator<SurveyedInput | UncertainInput> {
  const survey = async (source: Source, at: number): Promise<SurveyedInput> => {
    if (request.surveyed !== undefined) return request.surveyed(source, at, drain);
    const { read, fields, onRepeat = "all" } = request;
    if (onRepeat === "all") return surveyInput(source, read, fields, drain, { emit });
    let keys: RepeatedKeys | undefined;
    const openKeys = (): RepeatedKeys => (keys = new RepeatedKeys(spoolDirectory));
    const input = await surveyInput(source, read, fields, drain, { emit, openKeys });
    // The survey has compared all keys: where they are distinct, reading them again would find nothing.
    return hasDistinctKeys(input.report.counts) ? input : settleRepeats(input, keys!, onRepeat);
  };
  for (const [at, source] of sources.entries()) {
    try {
      yield await survey(source, at);
    } catch (error) {
      const isOfFile = error instanceof RecPushError && (error.kind === "input" || error.kind === "usage");
      if (!isOfFile || drain.aborted) throw error;
      yield { source, failure: error };
    }
  }
}

/** What happens to rows with the same key: all are sent in order, only the last is sent, or they stop the run. */
type OnRepeat = "all" | "last" | "stop";

/**
 * Applies `--on-repeat` to an input: throws an input error at the first repeated key, or leaves the earlier rows out.
 */
async function settleRepeats(
  input: SurveyedInput,
  repeated: RepeatedKeys,
  onRepeat: "last" | "stop",
): Promise<SurveyedInput> {
  const { report, source } = input;
  const { count, first } = await repeated.markEarlier();
  if (first === undefined) return input;
  if (onRepeat === "stop") {
    throw new RecPushError(
      "repeated-key",
      `${source.name}:${first.line}: the key ${quoteText(first.key)} is already in line ${first.firstLine}; nothing was sent`,
      {
        hint: "--on-repeat last sends only the last row of a key, --on-repeat all sends all in order",
        place: { file: source.name, line: first.line },
      },
    );
  }
  const { counts } = report;
  const notice = {
    text: `${showCountIs(count, "row")} left out: a later row has the same key (--on-repeat last)`,
  };
  return {
    ...input,
    repeated,
    report: {
      ...report,
      counts: { ...counts, updates: counts.updates - count, superseded: count },
      notices: [...report.notices, notice],
    },
  };
}

/** The inputs of a command, open until {@link OpenInputs.close}. */
interface OpenInputs {
  readonly sources: readonly Source[];
  /** A private directory for what does not fit into memory; removed with the inputs. */
  readonly spoolDirectory: string;
  readonly close: () => Promise<void>;
}

/** Where inputs that can be read only once are kept, their largest size, and the names of inputs. */
export interface InputPlaces {
  /** The directory for temporary files by default. */
  readonly spoolIn?: string | undefined;
  /** The name of a path in messages; by default the path itself. */
  readonly nameOf?: ((path: string) => string | undefined) | undefined;
  /** The most bytes of an input that are kept. */
  readonly maxInputBytes?: number | undefined;
}

/**
 * Opens every input before any is read, so that a missing second file stops the command at once. An input that cannot
 * be read twice (standard input) is spooled in a private directory that `close` removes.
 */
export async function openInputs(
  files: readonly string[],
  stdin: () => Readable,
  { spoolIn, nameOf, maxInputBytes }: InputPlaces = {},
  stop?: AbortSignal,
): Promise<OpenInputs> {
  if (files.filter((file) => file === "-").length > 1) {
    throw new RecPushError("wrong-usage", "standard input (-) can be named only once");
  }
  const { path: spoolDirectory, remove } = await makeSpoolDirectory(spoolIn);
  const sources: Source[] = [];
  const close = async (): Promise<void> => {
    for (const source of sources) await source.close();
    await remove();
  };
  try {
    const context = { spoolDirectory, nameOf, maxInputBytes, stop };
    for (const file of files) sources.push(await openSource(file, { ...context, stdin }));
  } catch (error) {
    await close();
    throw error;
  }
  return { sources, spoolDirectory, close };
}

/** A private directory for what does not fit into memory. */
interface SpoolDirectory {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

const PREFIX = "rec-push-spool-";
/** A week: no push lasts longer. */
const ORPHAN_MS = 7 * 86_400_000;

/**
 * Creates a directory in `place`, and removes those that killed processes of this user left there. Throws a machine
 * error.
 */
async function makeSpoolDirectory(place = tmpdir()): Promise<SpoolDirectory> {
  await removeOrphans(place);
  const path = await mkdtemp(join(place, PREFIX)).catch((cause: unknown) => {
    throw new RecPushError("cannot-spool", `cannot make a directory in ${place}`, {
      hint: place === tmpdir() ? "free space there, or name another place in TMPDIR" : "free space there",
      cause,
    });
  });
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Never fails: if a place cannot be listed, or a directory is another user's, it stays. */
async function removeOrphans(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(place, name);
    // Another process may remove it at the same time.
    const { mtimeMs } = await lstat(path).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs > ORPHAN_MS)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** True if the survey is certain that no key occurs in two rows. It may report too many repeats by chance, never too few. */
export function hasDistinctKeys({
  repeatedKeys,
  repeatedKeysBounded,
}: Pick<SurveyCounts, "repeatedKeys" | "repeatedKeysBounded">): boolean {
  return repeatedKeys === 0 && !repeatedKeysBounded;
}
