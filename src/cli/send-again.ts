import { join } from "node:path";
import type { DeclaredField } from "../fields/field-options.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { given } from "../options/declaration.ts";
import { mergeTexts, missingNames, readEnvironment } from "../options/derive.ts";
import { readValues } from "../options/read-values.ts";
import type { RunRequest } from "../push/check.ts";
import type { ReadKeeping } from "../push/push-request.ts";
import type { RunFacts } from "../store/run-facts.ts";
import { INPUT_COPY, type StoredRun } from "../store/summarise-run.ts";
import { columnsIn } from "./config/apply-config.ts";
import { bookTarget, keepingOf, readBookTarget } from "./keeping.ts";
import { type Io, requestOf } from "./run-settings.ts";
import { sendFiles } from "./sending.ts";
import { readTarget } from "./target-settings.ts";
import { withHeaderFiles } from "./trusted-file.ts";

/** A push that goes on: a run, or the plan of which a shard sends its part. */
interface Again extends Pick<
  RunFacts,
  "table" | "options" | "declared" | "startedAt" | "headerNames" | "queryNames"
> {
  /** `the run 20261121-031500-3f9a1c` */
  readonly called: string;
  readonly identity: ReadKeeping["target"];
  readonly paths: readonly string[];
  readonly nameOf: RunRequest["nameOf"];
}

/** The path of a run's input: the file, or the copy of standard input. */
function inputOf({ facts, directory }: Pick<StoredRun, "facts" | "directory">): string {
  return facts.path ?? join(directory, INPUT_COPY);
}

/** A run as a push that goes on. */
export function againOf(run: Pick<StoredRun, "facts" | "directory">): Again {
  const { facts } = run;
  const nameOf = (): string => (facts.file === "-" ? "<stdin>" : facts.file);
  return { ...facts, called: `the run ${facts.run}`, paths: [inputOf(run)], nameOf };
}

/** The request that reads the input as it was read before, by the options kept, overridden by those of the command. */
export function requestAgain({ options, declared, startedAt, paths, nameOf }: Again, texts: OptionTexts) {
  const merged = mergeTexts(options, texts);
  const values = readValues(merged);
  const asked = {
    values,
    declared: new Map(Object.entries(declared)) as ReadonlyMap<string, DeclaredField>,
    // Missing columns were reported when the run began.
    configColumns: new Set(columnsIn(values)),
  };
  // Judged by the day on which it began: on a later day, a year that was open then might count as certain.
  const began = new Date(startedAt);
  const request: RunRequest = { ...requestOf(paths, asked, { now: () => began }), isPinned: false, nameOf };
  return { merged, values, request };
}

/** What a command adds to the push that goes on. */
interface Added {
  /** Notices to show before it begins. */
  readonly notices: string[];
  /** False if only doubt or files are left: then nothing is sent, and no token is needed. */
  readonly isToSend?: boolean;
  readonly request?: Partial<RunRequest>;
  readonly keeping: Pick<ReadKeeping, "state" | "facts"> & Partial<ReadKeeping>;
}

/** Goes on with a push as a push of its input; returns the exit code. Throws a usage error if secret values are not given again. */
export async function sendAgain(again: Again, typed: OptionTexts, added: Added, io: Io): Promise<number> {
  const { called, table, identity } = again;
  const { notices, isToSend = true } = added;
  // Where the records go is the run's.
  const { url: _, ...environment } = await withHeaderFiles(readEnvironment(io.env));
  const texts = mergeTexts(environment, await withHeaderFiles(typed));
  const { merged, values, request } = requestAgain(again, texts);
  if (isToSend) checkNamesOfPairs(again, merged);
  const notice = (text: string): void => void notices.push(text);
  const source = { line: typed, env: io.env, from: called, notice };
  const target = isToSend
    ? await readTarget(values, table, source)
    : readBookTarget({ ...values, table }).address;
  const ofBook = isToSend ? bookTarget(target, identity.runKey ?? undefined) : identity;
  if (identity.queries !== undefined && identity.queries !== ofBook.queries)
    throw new RecPushError("other-queries", `${called} was sent with other values of --query than these`, {
      hint: "give the values used then, or push the file with these: that makes a run of its own",
    });
  const keeping = {
    ...keepingOf(values, { ...added.keeping, target: ofBook, cwd: io.cwd }),
    ...added.keeping,
  };
  const line = given({ ...merged, table, runKey: identity.runKey ?? undefined });
  const sent = { ...request, ...added.request };
  // Always an exit code, because nobody is asked.
  return (await sendFiles({ values, request: sent, line, merged, target, notices, keeping }, io)) as number;
}

/** Throws a usage error if headers or parameters are lacking that the run was sent with. */
function checkNamesOfPairs({ called, headerNames, queryNames }: Again, texts: OptionTexts): void {
  const missing = [
    ...missingNames("httpHeader", headerNames, texts),
    ...missingNames("query", queryNames, texts),
  ];
  if (missing.length === 0) return;
  throw new RecPushError(
    "missing-headers",
    `${called} was sent with ${missing.join(" and ")}, whose values are not kept`,
    { hint: "give them again" },
  );
}
