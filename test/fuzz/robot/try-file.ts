import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Draw } from "../../chaos/random.ts";
import type { DrawnFile } from "../tables/drawn-table.ts";
import { judgeSent, type CommandEnd } from "../tables/judge-sent.ts";
import { runCommand } from "../tables/run-check.ts";
import { followAdvice, type RobotEnd } from "./follow-advice.ts";
import { pushInShell, runStep, splitWords, type RobotPlace } from "./robot-shell.ts";
import { mayAnswer } from "./knows.ts";

/** The result of a file that the robot pushed. */
export interface RobotVerdict extends RobotEnd {
  readonly kind: "loaded" | "partly loaded" | "to mend" | "dead end" | "wrong";
  readonly why: string;
}

/** So many of a hundred files are pushed from a shell too; of the others only the check is judged. */
const PUSHED = 10;

/** Pushes a drawn file as the printed advice says, and compares what the service received with what the file holds. */
export async function tryFile(file: DrawnFile, draw: Draw, place: RobotPlace): Promise<RobotVerdict> {
  const directory = join(place.directory, String(file.seed));
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, file.name), file.bytes);
  place.service.applied.length = 0;
  const check = (command: string): Promise<CommandEnd> => {
    const words = splitWords(command).slice(1);
    const argv = words.map((word) => (word === file.name ? join(directory, word) : word));
    return runCommand(["check", ...argv], directory, place.commandLine);
  };
  const known = { ...file, mustAsk: false };
  const judge = (command: string, end: CommandEnd) => {
    if (!command.includes("--flatten") && !isFlattenedBy(directory))
      return judgeSent(known, "send", end, droppedBy(command, directory));
    // The content of this member is not judged.
    const sent = end.sent.map((record) =>
      Object.fromEntries(Object.entries(record).filter(([field]) => !field.startsWith("details_"))),
    );
    return judgeSent(known, "send", { ...end, sent }, [...droppedBy(command, directory), "details"]);
  };
  const end = await followAdvice({
    command: `rec-push ${file.name} --table commandes`,
    takesInit: draw.percent(30),
    run: (command) => runStep(command, directory, place.commandLine),
    mayAnswer: (choice) => mayAnswer(choice, file),
  });
  const command = end.commands.at(-1)!;
  const verdict = (kind: RobotVerdict["kind"], why: string): RobotVerdict => ({ ...end, kind, why });
  try {
    if (end.deadEnd !== undefined) return verdict("dead end", end.deadEnd);
    if (end.last.code === 3) {
      const { stderr } = end.last;
      const reason = /error: (?:[^\s:]+(?::\d+)?: )?(.*)/.exec(stderr)?.[1] ?? stderr;
      return verdict("to mend", reason);
    }
    const checked = await check(command);
    const judgement = judge(command, checked);
    if (judgement.kind !== "right")
      return verdict("wrong", judgement.kind === "wrong" ? judgement.why : "its first check asked nothing");
    // A process takes its time; what it sends hardly depends on the file.
    if (!draw.percent(PUSHED)) return verdict(checked.code === 0 ? "loaded" : "partly loaded", "");
    const { code, stderr } = await pushInShell(command, directory, place);
    if (code !== 0 && code !== 4) return verdict("wrong", `exit ${code}: ${stderr}`);
    const received = place.service.applied.map(({ record }) => record);
    if (!areSame(checked.sent, received)) return verdict("wrong", "the service received other records");
    const creates = received.filter(({ cle }) => cle === undefined).length;
    const [announcedUpdates, announcedCreates] = checked.announced;
    if (announcedCreates !== creates || announcedUpdates !== received.length - creates)
      return verdict("wrong", `announced ${announcedUpdates} updates, ${announcedCreates} creates`);
    return verdict(code === 0 ? "loaded" : "partly loaded", "");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** True if the config that `init` wrote says so. */
function isFlattenedBy(directory: string): boolean {
  const config = join(directory, "rec-push.config.json");
  return existsSync(config) && /"flatten": *true/.test(readFileSync(config, "utf8"));
}

/** The columns that the command, or the config that it wrote, leaves out. */
function droppedBy(command: string, directory: string): string[] {
  const told = [...command.matchAll(/--drop (?:"([^"]*)"|(\S+))/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? "",
  );
  const config = join(directory, "rec-push.config.json");
  if (!existsSync(config)) return told;
  const { tables } = JSON.parse(readFileSync(config, "utf8")) as {
    readonly tables: Readonly<Record<string, { readonly drop?: readonly string[] }>>;
  };
  return [...told, ...(tables["commandes"]?.drop ?? [])];
}

type Sent = CommandEnd["sent"];

function areSame(left: Sent, right: Sent): boolean {
  const spell = (records: Sent): string =>
    JSON.stringify(records.map((record) => JSON.stringify(record)).sort());
  return spell(left) === spell(right);
}
