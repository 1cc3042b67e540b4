import { spawn } from "node:child_process";
import { readAdvice } from "./read-advice.ts";

/** How a command line ended in a shell. */
interface ShellEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A robot at work on one file. */
export interface RobotWork {
  /** The first command, as a person types it. */
  readonly command: string;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** True if the robot runs the `init` command rather than the ready line. */
  readonly takesInit: boolean;
  /** The choice that a person who knows the file would take, given the command so far; `undefined` for none. */
  readonly choose: (command: string, choices: readonly string[]) => Promise<string | undefined>;
}

/** The end to which the advice led. */
export interface RobotEnd {
  readonly commands: readonly string[];
  readonly last: ShellEnd;
}

const MOST_STEPS = 12;

/** Runs the command, adds the options that it prints, and repeats that until it succeeds or prints nothing that helps. */
export async function followAdvice(work: RobotWork): Promise<RobotEnd> {
  const commands: string[] = [];
  let { command } = work;
  let last = await run(command, work);
  commands.push(command);
  while (last.code === 3 && commands.length < MOST_STEPS) {
    const { ready, init, choices } = readAdvice(last.stderr);
    if (init !== undefined && work.takesInit && !commands.includes(init)) {
      const written = await run(init, work);
      commands.push(init);
      if (written.code !== 0) {
        last = written;
        const choice = await work.choose(command, readAdvice(written.stderr).choices);
        if (choice === undefined) break;
        command = `${command} ${choice}`;
      }
    } else {
      const isNew = ready !== undefined && !command.includes(ready);
      const answered = await answer(isNew ? `${command} ${ready}` : command, choices, isNew, work);
      if (answered === undefined) break;
      command = answered;
    }
    last = await run(command, work);
    commands.push(command);
  }
  return { commands, last };
}

/** Adds an answer to each question, beside the ready line if there is one; `undefined` without any answer. */
async function answer(
  command: string,
  choices: readonly string[],
  hasReady: boolean,
  { choose }: RobotWork,
): Promise<string | undefined> {
  let answered = command;
  let left = choices;
  for (;;) {
    const choice = await choose(answered, left);
    if (choice === undefined) break;
    answered = `${answered} ${choice}`;
    left = left.filter((other) => subjectOf(other) !== subjectOf(choice));
  }
  return hasReady || answered !== command ? answered : undefined;
}

/** The subject of an answer: two answers with one subject exclude each other. */
function subjectOf(choice: string): string {
  return /^--(?:map|type) [^=]*|^--(?:drop|null|key-literal) .*|^--[a-z-]+/.exec(choice)![0];
}

/** Runs a line in a real shell. */
function run(line: string, { directory, env }: RobotWork): Promise<ShellEnd> {
  const child = spawn("sh", ["-c", line], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}
