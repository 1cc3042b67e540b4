import { cpSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { listFiles } from "../../corpus/list-files.ts";
import { followAdvice } from "./follow-advice.ts";
import { runStep, type RobotPlace } from "./robot-shell.ts";

const DATA = /\.(?:csv|tsv|txt|json|ndjson|xlsx)(?:\.gz)?$/;
/** Of more files, so many are taken, evenly. */
const MOST_FILES = 300;

/** The result of a file whose true records are not known. */
interface WalkedFile {
  readonly name: string;
  readonly kind: "loaded" | "to mend" | "dead end" | `exit ${number}`;
  /** The answers that were given, one per step. */
  readonly answers: readonly string[];
  readonly why: string;
}

/** Follows the advice for data files below a directory, and takes the first of several answers. */
export async function* walkFiles(
  root: string,
  { directory: own, commandLine }: RobotPlace,
): AsyncGenerator<WalkedFile> {
  const all = listFiles(root).filter((name) => DATA.test(name));
  const step = Math.max(1, all.length / MOST_FILES);
  for (let at = 0; at < all.length; at += step) {
    const path = all[Math.floor(at)]!;
    const name = basename(path);
    const directory = join(own, "walked");
    mkdirSync(directory, { recursive: true });
    cpSync(join(root, path), join(directory, name));
    const { commands, last, deadEnd } = await followAdvice({
      command: `rec-push '${name}' --table commandes`,
      takesInit: false,
      run: (line) => runStep(line, directory, commandLine),
      mayAnswer: (choice) => !choice.startsWith("--other-columns drop"),
    });
    const answers = commands.slice(1).map((line, step) => line.slice(commands[step]!.length).trim());
    const said = /^error: (.*)/m.exec(last.stderr)?.[1] ?? last.stderr;
    if (deadEnd !== undefined)
      yield { name: path, kind: "dead end", answers, why: `${deadEnd}: ${last.stderr}` };
    else if (last.code === 3) yield { name: path, kind: "to mend", answers, why: said };
    else if (last.code !== 0 && last.code !== 4)
      yield { name: path, kind: `exit ${last.code}`, answers, why: said };
    else yield { name: path, kind: "loaded", answers, why: "" };
    rmSync(directory, { recursive: true, force: true });
  }
}
