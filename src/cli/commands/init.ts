import type { SurveyReport } from "../../model/counts.ts";
import type { RunEvent } from "../../model/event.ts";
import { EXIT, exitCode, SIGNAL_EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { quoteWord, showText } from "../../model/text.ts";
import { pinnedSection } from "../../options/derive.ts";
import { readValues } from "../../options/read-values.ts";
import type { OptionValues } from "../../options/table.ts";
import { check } from "../../push/check.ts";
import { Dialogue, isForPeople, type Settled } from "../ask/dialogue.ts";
import { type LoadedConfig, openConfig, writeSection } from "../config/config-files.ts";
import { tableOf } from "../keeping.ts";
import type { CommandLine } from "../command-line.ts";
import { holdBack, openReporter } from "../reporting.ts";
import { type Io, requestOf } from "../run-settings.ts";
import { inSession } from "../session.ts";

/** `rec-push init`: surveys a file and writes how it was read into the config, so that nothing is inferred again. */
export async function runInit(first: CommandLine, io: Io): Promise<number> {
  const { files, options: typed } = first;
  const values = readValues(typed);
  const { quiet = false } = values;
  const table = tableOf(values);
  const about = await openConfig(values.config, io);
  if (Object.hasOwn(about.config.tables ?? {}, table))
    throw new RecPushError("bad-config", `${about.path} already says how the table ${table} is read`, {
      hint: "remove that section, which is then written anew; or push such a file on a terminal: what is open is asked, and the answers are added",
    });
  const dialogue = new Dialogue(first, io);
  let outcome: number | "again";
  do outcome = await initOnce({ about, table, dialogue }, values, io);
  while (outcome === "again");
  if (quiet || outcome !== EXIT.ok) return outcome;
  const [file = "-"] = files;
  const named = values.config === undefined ? [] : ["--config", values.config];
  const line = ["rec-push", file, "--table", table, ...named].map(quoteWord).join(" ");
  if (file !== "-") io.stdout.write(`push with: ${showText(line, line.length)}\n`);
  return EXIT.ok;
}

/** How an `init` that fails ends. */
const NO_CONFIG = "no config was written\n";

interface Initial {
  readonly about: LoadedConfig;
  readonly table: string;
  readonly dialogue: Dialogue;
}

/** One survey with all answers so far; it asks what is open, or writes the config. */
async function initOnce(
  { about, table, dialogue }: Initial,
  values: OptionValues,
  io: Io,
): Promise<number | "again"> {
  const { line } = dialogue;
  const { files } = line;
  const asked = { values: readValues(line.options), declared: new Map() };
  const request = {
    ...requestOf(files, asked, io),
    guessed: dialogue.guessed,
    openRecords: undefined,
  };
  const held = holdBack(await openReporter(values, io, true));
  let survey: SurveyReport | undefined;
  const emit = (event: RunEvent): void => {
    if (event.event === "survey") survey = event.survey;
    // `init` is about to pin all of them.
    held.emit(event.event === "survey" ? { ...event, survey: { ...event.survey, pins: [] } } : event);
  };
  return inSession({ reporter: { ...held, emit }, values, io }, async ({ control, close }) => {
    const { drain, received } = control;
    const endOf = (said: Settled): number | "again" => {
      if (said === "again") return said;
      io.stderr.write(NO_CONFIG);
      return said === "no" ? EXIT.input : SIGNAL_EXIT[received() ?? "SIGINT"];
    };
    const end = await check(request, control);
    if (values.yes === true && !files.includes("-") && dialogue.accept(end.failure)) return "again";
    if (isForPeople(line, io) && dialogue.settles(end.failure)) {
      held.releaseRows();
      close();
      return endOf(await dialogue.settle(end.failure));
    }
    held.release();
    if (end.failure !== undefined || survey === undefined) {
      if (end.failure !== undefined) held.fail(end.failure);
      io.stderr.write(NO_CONFIG);
      return exitCode({ ...end, signal: received() });
    }
    if (survey.counts.rows === 0) {
      const { file } = survey.reading;
      const text = `${file}: the file has no rows, so that nothing shows how they are written`;
      held.fail(new RecPushError("empty", text, { place: { file }, hint: "name an export that has some" }));
      io.stderr.write(NO_CONFIG);
      return EXIT.input;
    }
    if (isForPeople(line, io) && dialogue.hasAnswers) {
      held.close();
      const said = await dialogue.confirm(`Write this into ${showText(about.path, 400)}?`, drain);
      if (said !== "yes") return endOf(said);
    }
    await writeSection(about, table, pinnedSection(survey, line.options, request.fields));
    if (values.quiet !== true) {
      held.close();
      io.stdout.write(
        `wrote ${showText(about.path, 400)}: files for the table ${showText(table)} are read as above\n`,
      );
    }
    return EXIT.ok;
  });
}
