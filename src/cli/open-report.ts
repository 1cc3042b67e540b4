import { accessSync, closeSync, constants, lstatSync, openSync, readSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { showText } from "../model/refer-to-sheets.ts";
import type { OptionValues } from "../options/table.ts";
import { beginsReport, createReportFile, REPORT_HEAD_BYTES } from "../report/page/write-report.ts";
import type { Reporter } from "../report/reporter.ts";
import { replaceFileNow } from "../store/private-file.ts";
import type { Io } from "./run-settings.ts";
import { readVersion } from "./version.ts";

/**
 * Opens the report that `--report` asks for, JSON or a page depending on the extension of its name. It only replaces an
 * earlier report. Throws a usage error, before anything is sent, if anything else is there or it cannot be written.
 */
export function openReport(asked: string, values: OptionValues, io: Io, isCheck: boolean): Reporter {
  const path = resolve(io.cwd, asked);
  refuseSharedPlace(path, values, io.cwd);
  refuseUnwritable(path);
  const replace = (text: string): void => {
    refuseForeign(path);
    replaceFileNow(path, text);
  };
  const onLost = (error: unknown): void =>
    void io.stderr.write(`${inTheWay(path, reasonOf(error)).message}\n`);
  const place = { format: /\.json$/i.test(path) ? "json" : "html", replace, onLost } as const;
  try {
    return createReportFile(place, { isCheck, version: readVersion(), now: io.now });
  } catch (error) {
    throw error instanceof RecPushError ? error : inTheWay(path, reasonOf(error), error);
  }
}

function refuseSharedPlace(path: string, values: OptionValues, cwd: string): void {
  const { results, logFile, records, rejects } = values;
  const others = { "--results": results, "--log-file": logFile, "--records": records, "--rejects": rejects };
  for (const [flag, other] of Object.entries(others))
    if (other !== undefined && resolve(cwd, other) === path) throw inTheWay(path, `${flag} goes there`);
}

function refuseUnwritable(path: string): void {
  const directory = dirname(path);
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw inTheWay(
      path,
      `${showText(directory, 400)} is not a directory in which this user may write`,
      cause,
    );
  }
}

/** Throws a usage error if anything but a report is there. */
function refuseForeign(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (!there.isFile()) throw inTheWay(path, "it is not a regular file");
  if (!beginsReport(readHead(path))) throw inTheWay(path, "it does not hold a report of rec-push");
}

function readHead(path: string): Buffer {
  const fd = openSync(path, "r");
  try {
    const head = Buffer.alloc(REPORT_HEAD_BYTES);
    return head.subarray(0, readSync(fd, head));
  } finally {
    closeSync(fd);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof RecPushError) return error.message.slice(error.message.lastIndexOf(": ") + 2);
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

function inTheWay(path: string, why: string, cause?: unknown): RecPushError {
  const message = `the report cannot go to ${showText(path, 400)}: ${why}`;
  return new RecPushError("usage", "report-place", message, {
    hint: "name another file, in a directory that is there, or move away the one that is there",
    cause,
  });
}
