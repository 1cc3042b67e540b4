import { appendFileSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import type { Writable } from "node:stream";
import { showCount, type Summary } from "../model/decimal-of.ts";
import { EXIT } from "../model/exit-code.ts";
import { showText } from "../model/refer-to-sheets.ts";
import type { Reporter } from "./reporter.ts";
import { describeProblemAt } from "./problem-line.ts";
import { describeSummary, PinLines } from "./summary-lines.ts";

/** GitHub shows ten annotations per level and step, and silently leaves out the others. */
const MAX_ERRORS = 10;

/** The environment of a job of GitHub Actions. */
export interface GithubOptions {
  readonly stderr: Writable;
  readonly cwd: string;
  /** The repository, which the files of annotations are relative to. */
  readonly workspace: string | undefined;
  /** The file from which the job's summary page is made. */
  readonly stepSummary: string | undefined;
  readonly isCheck: boolean;
}

/** Annotations for a job of GitHub Actions, on standard error, and its part of the job's summary page. */
export function createGithubReporter({
  stderr,
  cwd,
  workspace,
  stepSummary,
  isCheck,
}: GithubOptions): Reporter {
  const pins = new PinLines();
  let errors = 0;
  let failure: string | undefined;
  const annotate = (annotation: Annotation): void => void stderr.write(`${formatAnnotation(annotation)}\n`);

  function placeOf(file: string): string {
    if (workspace === undefined) return file;
    const path = relative(workspace, resolve(cwd, file));
    return path.startsWith("..") || isAbsolute(path) ? file : path;
  }

  function tellError(file: string | undefined, line: number | undefined, text: string): void {
    errors += 1;
    // The last one that is shown says how many are not.
    if (errors >= MAX_ERRORS) return;
    annotate({ level: "error", file: file === undefined ? undefined : placeOf(file), line, text });
  }

  function writeSummary(text: string): void {
    if (stepSummary === undefined || stepSummary === "") return;
    try {
      appendFileSync(stepSummary, text);
    } catch {
      // A page that cannot be written must not stop a push.
    }
  }

  function tellRest(): void {
    for (const text of pins.take()) annotate({ level: "warning", text });
    const left = errors - MAX_ERRORS + 1;
    if (left > 0)
      annotate({ level: "error", text: `and ${showCount(left, "more problem")}, which the log names` });
    errors = 0;
  }

  return {
    emit(event) {
      switch (event.kind) {
        case "survey":
          return pins.add(event.survey, false);
        case "reject":
          return tellError(event.file, event.problem.line, describeProblemAt(event.problem));
        case "summary": {
          const { exitCode, reason } = event.summary;
          if (exitCode !== EXIT.ok && failure === undefined && reason !== "")
            tellError(undefined, undefined, reason);
          tellRest();
          return writeSummary(describeStepSummary(event.summary, { isCheck, failure }));
        }
        case "run":
        case "resumed":
        case "notice":
        case "settled":
        case "problems":
        case "waiting":
        case "request":
        case "surveying":
        case "progress":
          break;
      }
    },
    fail({ message, hint, place }) {
      failure = showText(message.split("\n")[0] ?? "", 1000);
      const text = [message, ...(hint === undefined ? [] : [hint])].join("\n");
      tellError(
        place?.file,
        place?.line,
        text
          .split("\n")
          .map((line) => showText(line, 1000))
          .join("\n"),
      );
    },
    close: tellRest,
  };
}

/** The part of a job's summary page that says how a command ended, in Markdown. */
function describeStepSummary(
  summary: Summary,
  { isCheck, failure }: { readonly isCheck: boolean; readonly failure: string | undefined },
): string {
  const isGood = summary.exitCode === EXIT.ok;
  const title = `### rec-push: ${isGood ? "done" : `exit ${summary.exitCode}`}`;
  const lines =
    summary.run === "" ? [] : describeSummary(summary, { isCheck, isTold: failure !== undefined });
  const shown = [...(failure === undefined ? [] : [failure]), ...lines];
  return `${title}\n\n${shown.map((line) => `- ${escapeMarkdown(line.trim())}\n`).join("")}\n`;
}

/** Text from files and from the service is shown as it is, and makes no link and no markup. */
function escapeMarkdown(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]|~#!]/g, (sign) => `\\${sign}`);
}

/** A line that GitHub shows next to a file, or above a run. */
export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  /** Path relative to the repository. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly text: string;
}

/** A workflow command: `::error file=orders.csv,line=412::...`. No text in it can end it or start another. */
export function formatAnnotation({ level, file, line, text }: Annotation): string {
  const properties = Object.entries({ file, line })
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `${name}=${escapeData(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`,
    );
  const about = properties.length === 0 ? "" : ` ${properties.join(",")}`;
  return `::${level}${about}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
