import type { RunEvent, SurveyReport } from "../model/counts.ts";
import type { RunEnd } from "../model/exit-code.ts";
import type { OptionText, OptionTexts } from "../model/option-texts.ts";
import { splitWords } from "../model/text.ts";
import { check, type RunRequest } from "../push/check.ts";
import type { CommandLine } from "./program.ts";
import { readCommandLine } from "./read-command-line.ts";
import { type Io, listenForStop } from "./run-settings.ts";

/** Answers may raise further questions: a column that is now sent may have dates that can be read in two ways. */
const MOST_ROUNDS = 4;

/** Surveyed inputs, with the command line under which they were surveyed. */
export interface Surveyed {
  readonly line: CommandLine;
  readonly end: RunEnd;
  readonly surveys: readonly SurveyReport[];
  /** The events of the last survey, for a reporter. */
  readonly events: readonly RunEvent[];
}

/**
 * Surveys the inputs of a command and, as long as their questions have certain answers, surveys them again with those.
 */
export async function surveyWithOptions(
  first: CommandLine,
  io: Io,
  requestOf: (line: CommandLine) => Promise<RunRequest>,
): Promise<Surveyed> {
  let line = first;
  let before: Surveyed | undefined;
  for (let round = 1; ; round++) {
    const found = await surveyOnce(line, io, await requestOf(line));
    const { failure } = found.end;
    // What settles one file may name columns that another one lacks: the question is told, not an error nobody made.
    if (failure?.kind === "usage" && before !== undefined) return before;
    const isOpen = failure !== undefined && failure.kind === "input" && failure.options.length > 0;
    if (!isOpen || round === MOST_ROUNDS) return found;
    before = found;
    line = acceptOptions(line, failure.options, io);
  }
}

async function surveyOnce(line: CommandLine, io: Io, request: RunRequest): Promise<Surveyed> {
  const events: RunEvent[] = [];
  const { drain, abort, received, release } = listenForStop(io, 0, () => undefined);
  try {
    const emit = (event: RunEvent): void => void events.push(event);
    const control = { stdin: () => io.stdin, drain, abort, received, emit };
    const end = await check({ ...request, openRecords: undefined }, control);
    const surveys = events.flatMap((event) => (event.kind === "survey" ? event.survey : []));
    return { line, end, surveys, events: events.filter(({ kind }) => kind !== "surveying") };
  } finally {
    release();
  }
}

/** The command line with more options at its end: those that a failure suggests, as if they had been pasted. */
export function acceptOptions(line: CommandLine, options: readonly string[], io: Io): CommandLine {
  if (options.length === 0) return line;
  const added = readCommandLine([line.command, "file", ...options.flatMap(splitWords)], io);
  return typeof added === "number" || added === "help"
    ? line
    : { ...line, options: append(line.options, added.options) };
}

/**
 * As commander reads them: an option that may be repeated is extended, any other is replaced by its last occurrence.
 */
function append(before: OptionTexts, added: OptionTexts): OptionTexts {
  const texts: Record<string, OptionText> = { ...(before as Record<string, OptionText>) };
  for (const [name, text] of Object.entries(added)) {
    const old = texts[name];
    texts[name] = Array.isArray(text) && Array.isArray(old) ? [...old, ...text] : text!;
  }
  return texts;
}
