import { realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { RunEvent, SurveyReport } from "../../model/counts.ts";
import { EXIT, exitCode } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { Reading } from "../../model/reading.ts";
import { showText } from "../../model/text.ts";
import { pinnedSection } from "../../options/pinned-section.ts";
import { readValues } from "../../options/read-values.ts";
import { check, type RunRequest } from "../../push/check.ts";
import { replaceFile } from "../../store/private-file.ts";
import { CONFIG_NAME, findConfig, loadConfig } from "../config/load-configs.ts";
import { type Config, readConfig, type TableSection } from "../config/read-config.ts";
import type { CommandLine } from "../program.ts";
import { openReporter } from "../reporting.ts";
import { type Io, listenForStop, readRunRequest } from "../run-settings.ts";
import { adviseInit, cronLine } from "../sending.ts";
import { surveyWithOptions } from "../survey-with-options.ts";

/** `rec-push init`: surveys a file and writes how it was read into the config, so that nothing is inferred again. */
export async function runInit(first: CommandLine, io: Io): Promise<number> {
  const { files, options: typed } = first;
  const values = readValues(typed);
  const { table, quiet = false } = values;
  if (table === undefined) {
    throw new RecPushError("usage", "missing-table", "no table", {
      hint: "name the table whose files look like this one: --table NAME",
    });
  }
  const about = await openConfig(values.config, io);
  refuseKnownTable(about, table, values.force === true);
  const requestOf = ({ options }: CommandLine): RunRequest =>
    readRunRequest(
      files,
      { values: readValues(options), declared: new Map(), configured: new Set() },
      io.now(),
    );
  const isToAccept = values.yes === true && !files.includes("-");
  const { line } = isToAccept
    ? await surveyWithOptions(first, io, async (accepted) => requestOf(accepted))
    : { line: first };
  const request = { ...requestOf(line), openRecords: undefined };
  const reporter = await openReporter(values, io, true);
  const stop = listenForStop(io, 0, () => undefined);
  let survey: SurveyReport | undefined;
  const emit = (event: RunEvent): void => {
    if (event.kind === "survey") survey = event.survey;
    // `init` is about to pin all of them.
    reporter.emit(event.kind === "survey" ? { ...event, survey: { ...event.survey, pins: [] } } : event);
  };
  try {
    const { drain, abort, received } = stop;
    const end = await check(request, { stdin: () => io.stdin, drain, abort, received, emit });
    if (end.failure !== undefined || survey === undefined) {
      const failure = adviseInit(end.failure, { files, table, line: typed, configs: [] });
      const told = failure?.reworded((text) => text.replaceAll("nothing was sent", NO_CONFIG));
      if (told !== undefined) reporter.fail(told);
      if (told?.message.includes(NO_CONFIG) !== true) io.stderr.write(`${NO_CONFIG}\n`);
      return exitCode({ ...end, signal: received() });
    }
    if (survey.counts.rows === 0) {
      reporter.fail(noRows(survey.reading.file));
      return EXIT.input;
    }
    const section = pinnedSection(survey, line.options, request.fields);
    await writeConfig(about, table, section);
  } finally {
    stop.release();
    reporter.close();
  }
  if (!quiet) {
    io.stdout.write(
      `wrote ${showText(about.path, 400)}: files for the table ${showText(table)} are read as above, ${INFERRED[isEncodingOpen(survey.reading) ? "encoding" : "nothing"]}\n`,
    );
    const [file = "-"] = files;
    const line = cronLine(file, table, about.path, io.cwd);
    if (file !== "-")
      io.stdout.write(
        `for cron, with REC_PUSH_URL and REC_PUSH_TOKEN_FILE set:\n  ${showText(line, line.length)}\n`,
      );
  }
  return EXIT.ok;
}

const INFERRED = {
  nothing: "nothing is inferred",
  encoding: "nothing is inferred but the encoding, which shows in a file with accents",
};

function noRows(file: string): RecPushError {
  return new RecPushError(
    "input",
    "empty",
    `${file}: the file has no rows, so that nothing shows how they are written; ${NO_CONFIG}`,
    { place: { file }, hint: "name an export that has some" },
  );
}

/** JSON has no code pages. */
function isEncodingOpen({ format, isPlainAscii = false }: Reading): boolean {
  return format === "csv" && isPlainAscii;
}

/** How an `init` that fails ends; errors shared with `push` say that nothing was sent. */
const NO_CONFIG = "no config was written";

/** The config that is written to. */
interface OpenConfig {
  readonly path: string;
  readonly config: Config;
}

/** The config that `--config` names, else the nearest one, else the place for a new one. */
async function openConfig(named: string | undefined, { cwd, env }: Io): Promise<OpenConfig> {
  if (named !== undefined) {
    const path = resolve(cwd, named);
    return loadConfig({ path, origin: "named" }, env).catch((error) => ({
      path,
      config: ignoreAbsent(error),
    }));
  }
  const found = findConfig(cwd);
  if (found !== undefined) return loadConfig({ path: found, origin: "found" }, env);
  return { path: join(cwd, CONFIG_NAME), config: {} };
}

/** A config that is named need not exist yet. */
function ignoreAbsent(error: unknown): Config {
  const cause =
    error instanceof RecPushError ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  if (cause?.code !== "ENOENT") throw error;
  return {};
}

/** Throws a usage error if the config has a section for the table that may not be replaced. */
function refuseKnownTable({ path, config }: OpenConfig, table: string, mayReplace: boolean): void {
  if (mayReplace || !Object.hasOwn(config.tables ?? {}, table)) return;
  throw new RecPushError("usage", "table-in-config", `${path} already says how the table ${table} is read`, {
    hint: "--force replaces that section; the rest of the config stays",
  });
}

/** Puts a table's section into a config, whole or not at all; an existing one keeps its permissions. Throws a machine error. */
async function writeConfig(
  { path, config }: OpenConfig,
  table: string,
  section: TableSection,
): Promise<void> {
  // Defined, so that a table called __proto__ is one like any other.
  const tables = Object.fromEntries([...Object.entries(config.tables ?? {}), [table, section]]);
  const text = `${JSON.stringify({ ...config, tables }, null, 2)}\n`;
  // A section that cannot be read would stop the next push.
  readConfig(text, path);
  try {
    const target = await realpath(path).catch(() => path);
    const there = await stat(target).catch(() => undefined);
    await replaceFile(target, text, there === undefined ? 0o644 : there.mode & 0o777);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new RecPushError("machine", "config-not-written", `cannot write the config ${path}: ${code}`, {
      cause,
    });
  }
}
