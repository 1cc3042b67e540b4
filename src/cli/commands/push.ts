import { showCount } from "../../model/counts.ts";
import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { showText } from "../../model/text.ts";
import { readValues } from "../../options/read-values.ts";
import { flagOf, OPTIONS } from "../../options/table.ts";
import type { RunRequest } from "../../push/check.ts";
import { type OutputStream, wrapWords } from "../../report/terminal-lines.ts";
import { openStateDirectory } from "../../store/state-directory.ts";
import { chooseFiles } from "../../survey/own-files.ts";
import type { Asker } from "../ask/asker.ts";
import type { Decision } from "../ask/settle-by-asking.ts";
import { applyConfig } from "../config/apply-config.ts";
import { factsOf } from "../kept-facts.ts";
import type { CommandLine } from "../program.ts";
import { type Io, requestOf, stateRoot } from "../run-settings.ts";
import { exportsOf, sendFiles, type Sending } from "../sending.ts";
import { readTarget, type SandboxAddress } from "../target-settings.ts";

/** `rec-push FILES`: surveys the files, sends their records, reports the outcome. */
export async function runPush(typed: CommandLine, io: Io): Promise<number> {
  if (typed.options["plan"] !== undefined || typed.options["shard"] !== undefined) {
    const { pushShard } = await import("./push-shard.ts");
    return pushShard(typed, io);
  }
  if (typed.files.length === 0)
    throw new RecPushError("usage", "missing-argument", "missing required argument 'files'", {
      hint: "rec-push help push lists the options",
    });
  const { files, notices } = await chooseFiles(typed.files);
  const line = { ...typed, files };
  let decided = line;
  let asker: Asker | undefined;
  // The prompts are loaded only if there is a question.
  const ask = async (): Promise<Decision> => {
    const { settleByAsking } = await import("../ask/settle-by-asking.ts");
    asker = await io.openAsker!();
    return settleByAsking(line, io, asker, (asked) => requestFor(asked, io));
  };
  let outcome = await pushOnce(line, notices, io, isForPeople(line, io) ? ask : undefined);
  if (typeof outcome !== "number") outcome = await pushOnce((decided = outcome), notices, io, undefined);
  if (asker !== undefined && outcome === EXIT.ok) await offerConfig(decided, io, asker);
  return outcome as number;
}

/** One push. If it may ask, it may instead return the command line that the user decided on; then nothing was sent. */
async function pushOnce(
  line: CommandLine,
  onFiles: readonly string[],
  io: Io,
  ask: Sending["ask"],
): Promise<number | CommandLine> {
  const { files, options } = line;
  const configured = await applyConfig(options, io);
  const { texts, values, credentials, uses: configs } = configured;
  const { table, again = false, staleOk = false, runKey } = values;
  if (table === undefined) {
    throw new RecPushError("usage", "missing-table", "no table", {
      hint: "name the table to push to: --table NAME, or defaultTable in a config",
    });
  }
  const request = requestOf(files, configured, io);
  const sandbox = values.sandbox === true ? await openSandboxRun(options) : undefined;
  try {
    const notices = [...onFiles];
    const notice = (text: string): void => void notices.push(text);
    const target = await readTarget(values, table, io.env, sandbox, { ...credentials, notice });
    const sending = { values, request, line: options, merged: texts, target, configs, notices, ask };
    if (sandbox !== undefined) {
      const code = await sendFiles(sending, io);
      if (typeof code === "number") sandbox.showTable(table, io.stdout);
      return code;
    }
    const state = await openStateDirectory(stateRoot(values, io));
    const facts = factsOf(configured, table, io.cwd);
    const exports = exportsOf(values);
    const { drift = "note" } = values;
    const keeping = { state, facts, cwd: io.cwd, again, exports, staleOk, runKey, drift };
    return await sendFiles({ ...sending, keeping }, io);
  } finally {
    await sandbox?.close();
  }
}

/** Nobody is asked if the options say so, or if the rows can be read only once. */
function isForPeople({ files, options }: CommandLine, { openAsker }: Io): boolean {
  const { json, quiet, pinned } = readValues(options);
  const isUnattended = json === true || quiet === true || pinned === true;
  return openAsker !== undefined && !isUnattended && !files.includes("-");
}

async function requestFor({ files, options }: CommandLine, io: Io): Promise<RunRequest> {
  return requestOf(files, await applyConfig(options, io), io);
}

/** Offers to write the user's decisions into the config, so that the next file raises no questions. */
async function offerConfig({ files, options }: CommandLine, io: Io, asker: Asker): Promise<void> {
  const { uses } = await applyConfig(options, io);
  if (files.length !== 1 || uses.some(({ table }) => table !== undefined)) return;
  const answer = await asker.key(
    "Write this into the config, so that nothing is asked about the next file? [y/n]",
    [
      { value: "y", label: "yes" },
      { value: "n", label: "no" },
    ],
  );
  if (answer !== "y") return;
  const { runInit } = await import("./init.ts");
  await runInit({ command: "init", files, options }, io);
}

/** Enough records to see whether the fields are right. */
const RECORDS_SHOWN = 3;

/** Options that name another service. */
const TARGETS = ["url", "tokenFile", "tokenCommand", "ca", "cert"] as const;

/** The sandbox of `--sandbox`, which lives as long as the command. */
interface SandboxRun extends SandboxAddress {
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
      "usage",
      "two-targets",
      `--sandbox is a service of its own: leave out ${others.join(" and ")}`,
    );
  }
  const { SANDBOX_CLIENT } = await import("../../sandbox/oauth.ts");
  const { startSandbox } = await import("../../sandbox/start-sandbox.ts");
  const sandbox = await startSandbox({ client: SANDBOX_CLIENT });
  return {
    url: sandbox.url,
    token: sandbox.token,
    client: SANDBOX_CLIENT,
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
