import { execFile } from "node:child_process";
import { RecPushError } from "../../model/failure.ts";
import { showText, splitWords } from "../../model/refer-to-sheets.ts";
import type { Io } from "../run-settings.ts";

/** Long enough for a password manager that has to ask the user. */
const TIMEOUT_MS = 60_000;
/** No secret comes near this length. */
const MAX_BYTES = 64 * 1024;

/**
 * The first line that a command prints, without outer spaces: password managers put notes below it. The words of the
 * command are separated by spaces and quotes, without a shell. Its standard output is never shown. Throws a usage
 * error.
 */
export async function runSecretCommand(
  line: string,
  { noun }: { readonly noun: string },
  source: string,
  env: Io["env"],
): Promise<string> {
  const [program = "", ...rest] = splitWords(line);
  const fail = (why: string): RecPushError =>
    new RecPushError(
      "usage",
      "token-command",
      `no ${noun} from the command ${showText(program)} (${source}): ${why}`,
      {
        hint: "run it by hand: it must print the secret on its first line and end with 0; pipes and variables need a script, because the command is not run by a shell",
      },
    );
  if (program === "") throw fail("it is empty");
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      program,
      rest,
      { env, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, killSignal: "SIGKILL", windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(fail(describe(error, stderr)));
      },
    );
    // The command gets no standard input, which may hold the rows.
    child.stdin?.on("error", () => undefined).end();
  });
  const secret = (output.replace(/^\uFEFF/, "").split(/\r?\n/, 1)[0] ?? "").trim();
  if (secret === "") throw fail("its first line is empty");
  return secret;
}

function describe(
  error: Error & { readonly code?: string | number | null; readonly killed?: boolean },
  stderr: string,
): string {
  if (error.code === "ENOENT") return "there is no such program";
  if (error.code === "EACCES") return "it is not a program";
  if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "it printed too much";
  if (error.killed === true) return `it did not end within ${TIMEOUT_MS / 1000} s`;
  const said = stderr.trim().split(/\r?\n/, 1)[0] ?? "";
  const how = `it ended with ${error.code ?? "a signal"}`;
  return said === "" ? how : `${how}: ${showText(said, 200)}`;
}
