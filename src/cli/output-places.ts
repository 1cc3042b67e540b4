import { access, constants, lstat, mkdir, open, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type AskedPlace, isWithin, mayHold, placeAt, placeIn } from "../files/kept-place.ts";
import { beginsResults, RESULTS_HEAD_BYTES, type ResultsPlace } from "../files/results.ts";
import { RecPushError } from "../model/failure.ts";
import { showText } from "../model/text.ts";
import type { Reporter } from "../report/reporter.ts";
import { replaceFileNow } from "../store/private-file.ts";
import type { Io } from "./run-settings.ts";
import { readVersion } from "./version.ts";

/** Makes the error for a place that is taken, from why it is. */
type Refuse = (why: string) => RecPushError;

function refuserOf(what: "rejects" | "results" | "report", path: string): Refuse {
  const text = `the ${what} cannot go to ${showText(path, 400)}`;
  return (why) =>
    new RecPushError("output-place", `${text}: ${why}`, {
      hint: "name another place, or move away what is there",
    });
}

/**
 * Decides where each file's rejects go: for one input, the file that `--rejects` names; for several inputs, or if it
 * names a directory, one file per input in that directory. Throws a usage error, before anything is read, if the place
 * is taken. Rows that are already there are checked later, when the run of the files is known.
 */
export async function settleRejectsPlaces(
  target: string,
  files: readonly string[],
): Promise<readonly AskedPlace[]> {
  const refuse = refuserOf("rejects", target);
  const there = await stat(target).catch(() => undefined);
  if (files.length === 1 && !/[/\\]$/.test(target) && there?.isDirectory() !== true) {
    await refuseTaken(target, files, refuse);
    return [placeAt(target)];
  }
  await mkdir(target, { recursive: true, mode: 0o700 }).catch(({ code }: NodeJS.ErrnoException) => {
    throw refuse(`several files need a directory for their rejects (${code})`);
  });
  await refuseUnwritable(target, refuse);
  return files.map((file) => placeIn(target, file));
}

/**
 * The place without `--rejects`: beside each file. `undefined`, which means the directory of the run, for standard
 * input and pipes, for a file in the state directory, and where this user may not write.
 */
export function placesBeside(
  files: readonly string[],
  stateRoot: string,
): Promise<readonly (AskedPlace | undefined)[]> {
  return Promise.all(
    files.map(async (file) => {
      const directory = dirname(file);
      const isFile = file !== "-" && (await stat(file).catch(() => undefined))?.isFile() === true;
      if (!isFile || isWithin(stateRoot, file) || !(await isWritable(directory))) return undefined;
      return placeIn(directory, file, false);
    }),
  );
}

/**
 * Decides where `--results` go: NDJSON if the file name says so, else CSV. Results of an earlier command are removed, so
 * that nobody mistakes them for those of this one. Throws a usage error if anything else is there.
 */
export async function settleResultsPlace(
  path: string | undefined,
  files: readonly string[],
  rejects: readonly (AskedPlace | undefined)[],
): Promise<ResultsPlace | undefined> {
  if (path === undefined) return undefined;
  const refuse = refuserOf("results", path);
  if (path === "-") throw refuse("they are a file; --json tells every batch on standard output");
  if (rejects.some((place) => place !== undefined && mayHold(place, path)))
    throw refuse("the rejects go there");
  await refuseTaken(path, files, refuse);
  await refuseForeign(path, RESULTS_HEAD_BYTES, beginsResults, refuse);
  await rm(path, { force: true });
  return { path, format: /\.(?:ndjson|jsonl|json)$/i.test(path) ? "ndjson" : "csv" };
}

/**
 * Opens the report that `--report` asks for, JSON or a page depending on the extension of its name. It only replaces an
 * earlier report. Throws a usage error, before anything is sent, if anything else is there or it cannot be written.
 */
export async function openReport(asked: string, io: Io, isCheck: boolean): Promise<Reporter> {
  const { beginsReport, createReportFile, REPORT_HEAD_BYTES } = await import("../report/report-file.ts");
  const path = resolve(io.cwd, asked);
  const refuse = refuserOf("report", path);
  const refusal = (error: unknown): RecPushError =>
    refuse((error as NodeJS.ErrnoException).code ?? String(error));
  await refuseTaken(path, [], refuse);
  await refuseForeign(path, REPORT_HEAD_BYTES, beginsReport, refuse);
  const place = {
    format: /\.json$/i.test(path) ? "json" : "html",
    replace: (text: string) => replaceFileNow(path, text),
    onLost: (error: unknown) => void io.stderr.write(`${refusal(error).message}\n`),
  } as const;
  try {
    return createReportFile(place, { isCheck, version: readVersion(), now: io.now });
  } catch (error) {
    throw refusal(error);
  }
}

/** Throws a usage error if no file can be written at a path: there is an input of the command, no file, or no directory. */
async function refuseTaken(path: string, inputs: readonly string[], refuse: Refuse): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  const found = await Promise.all(inputs.map((file) => stat(file).catch(() => undefined)));
  if (there !== undefined && found.some((input) => input?.ino === there.ino && input.dev === there.dev))
    throw refuse("it is the file that is pushed");
  if (there?.isFile() === false) throw refuse("it is not a regular file");
  await refuseUnwritable(dirname(path), refuse);
}

/** Throws a usage error if a file is not empty and does not begin as what rec-push writes there. */
async function refuseForeign(
  path: string,
  headBytes: number,
  isOwn: (head: Buffer) => boolean,
  refuse: Refuse,
): Promise<void> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw refuse(`it cannot be read (${error.code})`);
  });
  if (handle === undefined) return;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes));
    if (bytesRead > 0 && !isOwn(buffer.subarray(0, bytesRead)))
      throw refuse("rec-push did not write what is there");
  } finally {
    await handle.close();
  }
}

async function refuseUnwritable(directory: string, refuse: Refuse): Promise<void> {
  if (!(await isWritable(directory)))
    throw refuse(`${directory} is not a directory in which this user may write`);
}

/** True for a directory in which this user may write. */
function isWritable(directory: string): Promise<boolean> {
  return access(directory, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
