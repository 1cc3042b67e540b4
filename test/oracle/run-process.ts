import { spawn } from "node:child_process";

/** A command line to run, where, and in which environment. */
export interface Start {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How it ended: the exit code or the signal, and all that it printed. */
export interface ProcessEnd {
  readonly exit: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a process of its own; `begun` is told how to send it a signal. */
export async function runProcess(
  bin: string,
  { argv, cwd, env }: Start,
  timeoutMs: number,
  begun: (kill: (signal: NodeJS.Signals) => void) => void,
): Promise<ProcessEnd> {
  const child = spawn(process.execPath, [bin, ...argv], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  begun((signal) => child.kill(signal));
  let [stdout, stderr, hung] = ["", "", false];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const timer = setTimeout(() => {
    hung = child.kill("SIGKILL");
  }, timeoutMs);
  const exit = await new Promise<string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(signal ?? String(code)));
  });
  clearTimeout(timer);
  if (hung) throw new Error(`no end after ${timeoutMs / 1000} s: ${argv.join(" ")}`);
  return { exit, stdout, stderr };
}
