import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { Writable } from "node:stream";
import { RecPushError } from "../../model/failure.ts";
import { lineWords } from "../../options/derive.ts";
import type { AskedBook } from "../../push/decide-inputs.ts";
import { check, type CheckRequest, type RecordSink } from "../../push/check.ts";
import { chooseFiles } from "../../survey/own-files.ts";
import { applyConfig, type Configured } from "../config/apply-config.ts";
import { openKeeping, readBookTarget } from "../keeping.ts";
import type { CommandLine } from "../command-line.ts";
import { openReporter } from "../reporting.ts";
import { type Io, namesOf, requestOf, stateRoot } from "../run-settings.ts";
import { inSession, nameRun } from "../session.ts";

/** `rec-push check`: surveys and reports, sends nothing, keeps nothing. */
export async function runCheck({ files: typed, options }: CommandLine, io: Io): Promise<number> {
  const { files, notices } = await chooseFiles(typed);
  const configured = await applyConfig(options, io);
  const { values, uses: configs } = configured;
  const { records, table } = values;
  const request = requestOf(files, configured, io);
  const book = await findBook(configured, io);
  const ledgerWords = lineWords(options, "ledger");
  const openRecords = records === undefined ? undefined : () => openRecordSink(records, io.stdout);
  const reporter = await openReporter(values, io, true);
  return inSession({ reporter, values, io }, async ({ control, begin, finish }) => {
    const run = nameRun();
    begin({ run, table: table ?? "", url: "", files: namesOf(request), configs }, notices);
    const askBook: CheckRequest["askBook"] =
      book &&
      (async (inputs, directory) => {
        const { askBook } = await import("../../push/decide-inputs.ts");
        return askBook(inputs, { ...request, ...book, ledgerWords }, directory, control.emit);
      });
    const end = await check({ ...request, openRecords, askBook }, control);
    return finish(end, run);
  });
}

/** The book of the table that is asked; `undefined` if no service is named, or nothing was ever pushed from here. */
async function findBook(
  configured: Configured,
  io: Io,
): Promise<Pick<AskedBook, "keeping" | "shown"> | undefined> {
  const { values } = configured;
  if (values.table === undefined || values.url === undefined) return undefined;
  const { table, shown, target } = readBookTarget(values);
  if (!(await stat(stateRoot(values, io)).catch(() => undefined))) return undefined;
  return { keeping: { ...(await openKeeping(configured, table, target, io)), command: "" }, shown };
}

/** Opens the output of `--records`: a file, or standard output for `-`. Throws {@link RecPushError} of kind `machine`. */
async function openRecordSink(destination: string, stdout: Writable): Promise<RecordSink> {
  if (destination === "-")
    return {
      write: (text) =>
        new Promise((resolve, reject) => {
          stdout.write(text, (error) => {
            // A reader that has closed the pipe (`| head`) needs no more records.
            if (error == null || ["EPIPE", "ECONNRESET"].includes(codeOf(error))) resolve(error == null);
            else reject(cannotWrite("standard output", error));
          });
        }),
      close: () => Promise.resolve(),
    };
  const fail = (cause: unknown): never => {
    throw cannotWrite(destination, cause);
  };
  // A link could lead to a file that another user wants to have overwritten. Windows has no such flag.
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const file = await open(destination, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600).catch(fail);
  return { write: (text) => file.writeFile(text).then(() => true, fail), close: () => file.close() };
}

function cannotWrite(place: string, cause: unknown): RecPushError {
  const why = codeOf(cause) === "ELOOP" ? "it is a link, which is not followed" : codeOf(cause);
  return new RecPushError("cannot-write", `cannot write the records to ${place}: ${why}`, { cause });
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? "unknown error";
}
