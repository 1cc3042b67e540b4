import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ChaosService } from "../../chaos/chaos-service.ts";
import { type CommandLine, runLine } from "../tables/run-check.ts";
import type { StepEnd } from "./follow-advice.ts";

/** The surroundings of the robot. */
export interface RobotPlace {
  readonly directory: string;
  /** The directory that contains the command `rec-push`. */
  readonly bin: string;
  readonly service: ChaosService;
  readonly commandLine: CommandLine;
}

/** Runs a command in this process: `rec-push FILE ...` as a `check`, which asks what a push asks; `rec-push init ...` as it is. */
export function runStep(command: string, directory: string, commandLine: CommandLine): Promise<StepEnd> {
  // Names of files are read from the directory of this process.
  const [first = "", ...rest] = splitWords(command)
    .slice(1)
    .map((word) => (word !== "." && existsSync(join(directory, word)) ? join(directory, word) : word));
  return runLine(first === "init" ? [first, ...rest] : ["check", first, ...rest], directory, commandLine);
}

/** Pushes by a line in a real shell. */
export function pushInShell(line: string, directory: string, { bin, service }: RobotPlace): Promise<StepEnd> {
  const env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    XDG_STATE_HOME: `${directory}/state`,
    XDG_CONFIG_HOME: `${directory}/config`,
    REC_PUSH_URL: service.url,
    REC_PUSH_TOKEN: "a-token-of-the-robot",
  };
  const child = spawn("sh", ["-c", line], { cwd: directory, env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, stderr }));
  });
}

/** Splits a line into words, as a shell does. */
export function splitWords(line: string): string[] {
  return (line.match(/(?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? []).map((word) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, quoted?: string, plain?: string) =>
      quoted === undefined ? (plain ?? "") : quoted.replace(/\\(["\\$`])/g, "$1"),
    ),
  );
}
