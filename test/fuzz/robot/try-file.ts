import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Draw } from "../../chaos/random.ts";
import type { DrawnFile } from "../tables/drawn-table.ts";
import { judgeSent, type CommandEnd } from "../tables/judge-sent.ts";
import { runCommand, type CommandLine } from "../tables/run-check.ts";
import { followAdvice, type RobotEnd } from "./follow-advice.ts";
import { mayAnswer } from "./knows.ts";
import type { ReceivedRecord, RecordService } from "./record-service.ts";

/** The result of a file that the robot pushed. */
export interface RobotVerdict extends RobotEnd {
  readonly kind: "loaded" | "partly loaded" | "refused" | "wrong";
  readonly why: string;
}

/** The surroundings of the robot. */
export interface RobotPlace {
  readonly directory: string;
  /** The directory that contains the command `rec-push`. */
  readonly bin: string;
  readonly service: RecordService;
  readonly commandLine: CommandLine;
}

/** Pushes a drawn file as the printed advice says, and compares what the service received with what the file holds. */
export async function tryFile(file: DrawnFile, draw: Draw, place: RobotPlace): Promise<RobotVerdict> {
  const directory = join(place.directory, String(file.seed));
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, file.name), file.bytes);
  place.service.received = [];
  const env = shellEnv(directory, place);
  // Answers are tried out in this process; the chosen steps are run by a shell.
  const check = (command: string): Promise<CommandEnd> => {
    const words = splitWords(command).slice(1);
    const argv = words.map((word) => (word === file.name ? join(directory, word) : word));
    return runCommand(["check", ...argv], directory, place.commandLine);
  };
  const known = { ...file, mustAsk: false };
  const judge = (command: string, end: CommandEnd) => {
    if (!command.includes("--flatten")) return judgeSent(known, "send", end, droppedBy(command, directory));
    // The content of this member is not judged.
    const sent = end.sent.map((record) =>
      Object.fromEntries(Object.entries(record).filter(([field]) => !field.startsWith("details_"))),
    );
    return judgeSent(known, "send", { ...end, sent }, [...droppedBy(command, directory), "details"]);
  };
  const end = await followAdvice({
    command: `rec-push ${file.name} --table commandes`,
    directory,
    env,
    takesInit: draw.percent(30),
    async choose(command, choices) {
      const { code, told: before } = await check(command);
      if (code === 0) return undefined;
      let progress: string | undefined;
      for (const choice of choices.filter((option) => mayAnswer(option, file) && !command.includes(option))) {
        const tried = `${command} ${choice}`;
        const ended = await check(tried);
        if (ended.code === 2) continue;
        const { kind } = judge(tried, ended);
        if (kind === "right" && ended.code === 0) return choice;
        if (kind !== "wrong" && ended.told !== before) progress ??= choice;
      }
      return progress;
    },
  });
  const command = end.commands.at(-1)!;
  const { received } = place.service;
  const verdict = (kind: RobotVerdict["kind"], why: string): RobotVerdict => ({ ...end, kind, why });
  const { code, stderr } = end.last;
  try {
    if (code === 3) {
      const reason = /error: (?:[^\s:]+(?::\d+)?: )?(.*)/.exec(stderr)?.[1] ?? stderr;
      return received.length === 0 ? verdict("refused", reason) : verdict("wrong", "stopped, and sent");
    }
    if (code !== 0 && code !== 4) return verdict("wrong", `exit ${code}: ${stderr}`);
    const checked = await check(command);
    const judgement = judge(command, checked);
    if (judgement.kind !== "right")
      return verdict("wrong", judgement.kind === "wrong" ? judgement.why : "check asks, push does not");
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

/** The environment in which the robot's shell finds the command and its service. */
export function shellEnv(directory: string, { bin, service }: RobotPlace): Record<string, string> {
  return {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    XDG_STATE_HOME: join(directory, "state"),
    XDG_CONFIG_HOME: join(directory, "config"),
    REC_PUSH_URL: service.url,
    REC_PUSH_TOKEN: "a-token-of-the-robot",
  };
}

/** Splits a line into words, as a shell does. */
export function splitWords(line: string): string[] {
  return (line.match(/(?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? []).map((word) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, quoted?: string, plain?: string) =>
      quoted === undefined ? (plain ?? "") : quoted.replace(/\\(["\\$`])/g, "$1"),
    ),
  );
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

function areSame(left: readonly ReceivedRecord[], right: readonly ReceivedRecord[]): boolean {
  const spell = (records: readonly ReceivedRecord[]): string =>
    JSON.stringify(records.map((record) => JSON.stringify(record)).sort());
  return spell(left) === spell(right);
}
