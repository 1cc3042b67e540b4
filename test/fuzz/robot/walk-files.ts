import { cpSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { listFiles } from "../../corpus/list-files.ts";
import { runCommand } from "../tables/run-check.ts";
import { followAdvice } from "./follow-advice.ts";
import { shellEnv, splitWords, type RobotPlace } from "./try-file.ts";

const DATA = /\.(?:csv|tsv|txt|json|ndjson)(?:\.gz)?$/;
/** Answers that lose data, which a person would give only with a reason. */
const LOSES = /--other-columns drop|--on-invalid|--drop|--keep|--skip|--totals keep/;

/** The result of a file whose true records are not known. */
export interface WalkedFile {
  readonly name: string;
  readonly code: number;
  /** The answers that were given, one per step. */
  readonly answers: readonly string[];
  readonly why: string;
}

/** Follows the advice for each data file below a directory, and takes the first of several answers that gets further. */
export async function* walkFiles(root: string, place: RobotPlace): AsyncGenerator<WalkedFile> {
  for (const path of listFiles(root).filter((name) => DATA.test(name))) {
    const name = basename(path);
    const directory = join(place.directory, "walked");
    mkdirSync(directory, { recursive: true });
    cpSync(join(root, path), join(directory, name));
    const check = (command: string) => {
      const words = splitWords(command).slice(1);
      const argv = words.map((word) => (word === name ? join(directory, name) : word));
      return runCommand(["check", ...argv], directory, place.commandLine);
    };
    const command = `rec-push '${name}' --table commandes`;
    const { commands, last } = await followAdvice({
      command,
      directory,
      env: shellEnv(directory, place),
      takesInit: false,
      async choose(before, choices) {
        const { code, told } = await check(before);
        if (code === 0) return undefined;
        let progress: string | undefined;
        for (const choice of choices.filter((option) => !LOSES.test(option) && !before.includes(option))) {
          const ended = await check(`${before} ${choice}`);
          if (ended.code === 0) return choice;
          if (ended.code === 3 && ended.told !== told) progress ??= choice;
        }
        return progress;
      },
    });
    const answers = commands.slice(1).map((line, at) => line.slice(commands[at]!.length).trim());
    const why = last.code === 0 ? "" : (/^error: (.*)/m.exec(last.stderr)?.[1] ?? last.stderr);
    yield { name: path, code: last.code, answers, why };
    rmSync(directory, { recursive: true, force: true });
  }
}
