import { type CompletedCommand, completedCommands, type CompletedOption } from "../completion/words.ts";
import { wrapWords } from "../../report/wrap-line.ts";
import { TOPICS } from "./topics.ts";
import { TABLE, useIn } from "../../options/table.ts";

/** Shorter than the page, because escapes make some lines longer. */
const MAX_COLUMNS = 70;

/** When the wording of the page was last reviewed: mdoc pages have a date. */
const DATE = "November 22, 2026";

/** Exit codes, each in a few words; README's section says what to do. */
const EXITS = [
  ["0", "every row accepted, or nothing to do"],
  ["1", "a fault of rec-push, or of this machine"],
  ["2", "wrong usage or configuration; nothing sent"],
  ["3", "invalid or unreadable input; nothing sent"],
  ["4", "some rows were rejected or refused"],
  ["5", "credentials refused"],
  ["6", "the service refuses the request itself"],
  ["7", "the service could not be reached or kept failing"],
  ["8", "records are in doubt"],
  ["9", "not started: another run is on this table"],
  ["129, 130, 143", "interrupted by SIGHUP, SIGINT, SIGTERM"],
] as const;

/** The manual page in mdoc(7), from the table of options. */
export function manPage(): string {
  const commands = completedCommands();
  const lines = [
    `.Dd ${DATE}`,
    ".Dt REC-PUSH 1",
    ".Os",
    ".Sh NAME",
    ".Nm rec-push",
    ".Nd push a CSV, JSON or Excel export into a record service",
    ".Sh SYNOPSIS",
    ".Nm",
    ".Op Ar command",
    ".Op Ar options",
    ".Op Ar",
    ".Sh DESCRIPTION",
    ".Nm",
    "reads CSV, JSON and NDJSON exports, brings dates, amounts and numbers into",
    "the formats of the service, posts the records in batches, and says what",
    "became of every row.",
    "Nothing wrong is sent, nothing is lost, nothing is sent twice.",
    ".Pp",
    "The commands are:",
    ".Bl -tag -width Ds",
    ...commands.flatMap(({ name, about }) => item(`Cm ${name}`, about)),
    ".El",
    ...commands.flatMap(optionsSection),
    ".Sh ENVIRONMENT",
    ".Bl -tag -width Ds",
    ".It Ev REC_PUSH_TOKEN",
    "The access token.",
    ...environmentLines(),
    ".It Ev NO_COLOR , FORCE_COLOR",
    "No colours, or colours where the output is no terminal too.",
    ".El",
    ".Sh FILES",
    ".Bl -tag -width Ds",
    ".It Pa rec-push.config.json",
    "How the files of each table are read; here or in a parent directory.",
    ".It Pa ~/.config/rec-push/config.json",
    "The services, by name.",
    ".It Pa ~/.local/state/rec-push",
    "The runs that are kept.",
    ".El",
    ".Sh EXIT STATUS",
    ".Bl -tag -width Ds",
    ...EXITS.flatMap(([code, about]) => item(code, about)),
    ".El",
    ".Sh EXAMPLES",
    "Read a file, and say what would be sent:",
    ".Pp",
    ".Dl rec-push check orders.csv",
    ".Pp",
    "Push it to a rehearsal service:",
    ".Pp",
    ".Dl rec-push orders.csv --table commandes --sandbox",
    ".Sh SEE ALSO",
    ".Nm",
    ".Cm help",
    ".Ar topic .",
    ...sentence(`Its topics are ${Object.keys(TOPICS).join(", ")}`),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * All options of push, and those options of other commands that push does not have, or that mean something else there.
 */
function optionsSection(
  command: CompletedCommand,
  at: number,
  all: readonly CompletedCommand[],
): readonly string[] {
  const known = new Set(at === 0 ? [] : all[0]!.options.map(keyOf));
  const options = command.options.filter((option) => !known.has(keyOf(option)));
  if (options.length === 0) return [];
  const also =
    at === 0 ? [] : ["Beside those of push that read files, name the service or choose the output:"];
  return [
    ...(at === 0 ? [".Sh OPTIONS"] : []),
    `.Ss Options of ${command.name}`,
    ...also,
    ".Bl -tag -width Ds",
    ...options.flatMap(optionLines),
    ".El",
  ];
}

function keyOf({ flags, about }: CompletedOption): string {
  return `${flags.join(" ")} ${about}`;
}

function optionLines({ flags, about, argument }: CompletedOption): readonly string[] {
  const shown = flags.map((flag) => `Fl ${escape(flag.slice(1))}`).join(" , ");
  const value =
    argument.kind === "values"
      ? ` Cm ${argument.values.map(escape).join(" | ")}`
      : argument.kind === "nothing"
        ? ""
        : ` Ar ${wordFor(argument.kind)}`;
  return [`.It ${shown}${value}`, ...sentence(about)];
}

function wordFor(kind: string): string {
  return kind === "text" ? "value" : kind.replace(/s$/, "");
}

function environmentLines(): readonly string[] {
  return TABLE.flatMap(({ declaration }) => {
    const use = useIn("push", declaration);
    if (declaration.environment === undefined || use === undefined) return [];
    return item(`Ev ${declaration.environment}`, use.help);
  });
}

/** An item of a list, with its description. */
function item(name: string, about: string): readonly string[] {
  return [`.It ${name}`, ...sentence(about)];
}

/** A sentence, split into lines that mandoc does not consider too long. */
function sentence(text: string): readonly string[] {
  return wrapWords(`${text.replace(/^[a-z]/, (letter) => letter.toUpperCase())}.`, MAX_COLUMNS, "").map(
    escape,
  );
}

/** Text that roff prints unchanged. A line must not begin like a request. */
function escape(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replace(/^[.']/, "\\&$&")
    .replaceAll(/(?<=^|\s)-(?=-|\w)/g, "\\-");
}
