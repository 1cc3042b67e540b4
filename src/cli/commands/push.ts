import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { showCount } from "../../model/counts.ts";
import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { showText } from "../../model/text.ts";
import { chosenSection, pinnedSection } from "../../options/derive.ts";
import { flagOf, OPTIONS } from "../../options/table.ts";
import { type OutputStream, wrapWords } from "../../report/terminal-lines.ts";
import { unreadable } from "../../read/source/read-from.ts";
import { chooseFiles } from "../../survey/own-files.ts";
import { Dialogue, isForPeople } from "../ask/dialogue.ts";
import { applyConfig } from "../config/apply-config.ts";
import { bookTarget, openKeeping, tableOf } from "../keeping.ts";
import type { CommandLine } from "../command-line.ts";
import { type Io, requestOf } from "../run-settings.ts";
import { sendFiles } from "../sending.ts";
import { readTarget, sandboxTarget } from "../target-settings.ts";

/** `rec-push FILES`: surveys the files, sends their records, reports the outcome. */
export async function runPush(typed: CommandLine, io: Io): Promise<number> {
  if (typed.options["plan"] !== undefined || typed.options["shard"] !== undefined) {
    const { pushShard } = await import("./push-shard.ts");
    return pushShard(typed, io);
  }
  if (typed.files.length === 0)
    throw new RecPushError("wrong-usage", "missing required argument 'files'", {
      hint: "rec-push help push lists the options",
    });
  const { files, notices } = await chooseFiles(typed.files);
  const line = { ...typed, files };
  const dialogue = isForPeople(line, io) ? new Dialogue(line, io) : undefined;
  let outcome: number | "again";
  do {
    outcome = await pushOnce(dialogue?.line ?? line, notices, io, dialogue);
  } while (outcome === "again");
  if (dialogue !== undefined && (outcome === EXIT.ok || outcome === EXIT.refused))
    await offerConfig(dialogue, io);
  return outcome;
}

/** Throws an input error for a file that is missing, before the user has to find a token. */
async function lookForFiles(files: readonly string[], { cwd, program }: Io): Promise<void> {
  // A program hears of its options first.
  for (const file of program === undefined ? files : []) {
    if (file === "-") continue;
    await stat(resolve(cwd, file)).catch((cause: unknown) => {
      throw unreadable(file, cause);
    });
  }
}

/** One push. If it asks, it returns `again` once it has an answer; then nothing was sent. */
async function pushOnce(
  line: CommandLine,
  onFiles: readonly string[],
  io: Io,
  dialogue: Dialogue | undefined,
): Promise<number | "again"> {
  const { files, options } = line;
  const configured = await applyConfig(options, io);
  const { texts, values, from, uses: configs } = configured;
  const table = tableOf(values);
  const request = { ...requestOf(files, configured, io), guessed: dialogue?.guessed };
  await lookForFiles(files, io);
  const sandbox = values.sandbox === true ? await openSandboxRun(options) : undefined;
  try {
    const notices = [...onFiles];
    const notice = (text: string): void => void notices.push(text);
    const target =
      sandbox === undefined
        ? await readTarget(values, table, { line: options, env: io.env, from, notice })
        : sandboxTarget(values, table, sandbox);
    const sending = { values, request, line: options, merged: texts, target, configs, notices, dialogue };
    if (sandbox !== undefined) {
      const code = await sendFiles(sending, io);
      if (typeof code === "number") sandbox.showTable(table, io.stdout);
      return code;
    }
    const { drift = "note", runKey } = values;
    const keeping = await openKeeping(configured, table, bookTarget(target, runKey), io);
    return await sendFiles({ ...sending, keeping: { ...keeping, drift } }, io);
  } finally {
    await sandbox?.close();
  }
}

/**
 * Offers to keep the answers in the config, so that the next file raises no questions. A section of the table that is there
 * gets the answers, and a new one everything that was settled.
 */
async function offerConfig(dialogue: Dialogue, io: Io): Promise<void> {
  const { survey, line } = dialogue;
  if (survey === undefined || !dialogue.hasAnswers) return;
  const { joinSections, openConfig, writeSection } = await import("../config/config-files.ts");
  const configured = await applyConfig(line.options, io);
  const { table = "", config: named } = configured.values;
  const about = await openConfig(named, io);
  const path = showText(about.path, 400);
  if ((await dialogue.confirm(`Keep these answers in ${path}?`)) !== "yes") return;
  const { [table]: before } = about.config.tables ?? {};
  const section =
    before === undefined
      ? pinnedSection(survey, line.options, requestOf(line.files, configured, io).fields)
      : joinSections(before, chosenSection(line.options));
  await writeSection(about, table, section);
  io.stdout.write(
    `wrote ${path}: the next file for the table ${showText(table)} is read with these answers\n`,
  );
}

/** Enough records to see whether the fields are right. */
const RECORDS_SHOWN = 3;

/** Options that name another service. */
const TARGETS = ["url", "tokenFile", "tokenCommand", "ca", "cert"] as const;

/** The sandbox of `--sandbox`, which lives as long as the command. */
interface SandboxRun {
  readonly url: string;
  readonly token: string;
  /** Shows the first records that a table holds now. */
  readonly showTable: (table: string, stdout: OutputStream) => void;
  readonly close: () => Promise<void>;
}

/** Starts a sandbox in this process. Throws a usage error if the command line also names another service. */
async function openSandboxRun(line: OptionTexts): Promise<SandboxRun> {
  const others = TARGETS.filter((name) => line[name] !== undefined).map((name) =>
    flagOf(name, OPTIONS[name]),
  );
  if (others.length > 0) {
    throw new RecPushError(
      "contradicting-options",
      `--sandbox is a service of its own: leave out ${others.join(" and ")}`,
    );
  }
  const { startSandbox } = await import("../../sandbox/start-sandbox.ts");
  const sandbox = await startSandbox();
  return {
    url: sandbox.url,
    token: sandbox.token,
    showTable(table, stdout) {
      if (line["json"] === true || line["quiet"] === true) return;
      const records = sandbox.store.snapshot(table);
      if (records.length === 0) return;
      const shown = records.slice(0, RECORDS_SHOWN).flatMap((record) => showRecord(record, stdout));
      const lead = `The sandbox's table ${showText(table)} now holds ${showCount(records.length, "record")}`;
      stdout.write(
        `${lead}${records.length > RECORDS_SHOWN ? ", the first are" : ""}:\n${shown.join("\n")}\n`,
      );
    },
    close: () => sandbox.close(),
  };
}

/** A record as JSON; on a terminal it may be wrapped between members, which are separated by a space for that. */
function showRecord(record: object, { isTTY = false, columns = 80 }: OutputStream): readonly string[] {
  const line = `  ${showText(JSON.stringify(record), 400)}`;
  return isTTY ? wrapWords(line.replaceAll('","', '", "'), columns, "    ") : [line];
}
