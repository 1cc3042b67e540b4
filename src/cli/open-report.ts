import { resolve } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { showText } from "../model/text.ts";
import type { OptionValues } from "../options/table.ts";
import { beginsReport, createReportFile, REPORT_HEAD_BYTES } from "../report/page/write-report.ts";
import type { Reporter } from "../report/reporter.ts";
import { replaceFileNow } from "../store/private-file.ts";
import { type Refuse, refuseForeign, refuseTaken } from "./output-places.ts";
import type { Io } from "./run-settings.ts";
import { readVersion } from "./version.ts";

/**
 * Opens the report that `--report` asks for, JSON or a page depending on the extension of its name. It only replaces an
 * earlier report. Throws a usage error, before anything is sent, if anything else is there or it cannot be written.
 */
export async function openReport(
  asked: string,
  { results, logFile, records, rejects }: OptionValues,
  io: Io,
  isCheck: boolean,
): Promise<Reporter> {
  const path = resolve(io.cwd, asked);
  const refuse: Refuse = (why) =>
    new RecPushError("report-place", `the report cannot go to ${showText(path, 400)}: ${why}`, {
      hint: "name another file, in a directory that is there, or move away the one that is there",
    });
  const others = { "--results": results, "--log-file": logFile, "--records": records, "--rejects": rejects };
  for (const [flag, other] of Object.entries(others))
    if (other !== undefined && resolve(io.cwd, other) === path) throw refuse(`${flag} goes there`);
  await refuseTaken(path, [], refuse);
  await refuseForeign(path, REPORT_HEAD_BYTES, beginsReport, "a report", refuse);
  const place = {
    format: /\.json$/i.test(path) ? "json" : "html",
    replace: (text: string) => replaceFileNow(path, text),
    onLost: (error: unknown) => void io.stderr.write(`${refuse(reasonOf(error)).message}\n`),
  } as const;
  try {
    return createReportFile(place, { isCheck, version: readVersion(), now: io.now });
  } catch (error) {
    throw refuse(reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
