import { isAbsolute, relative, resolve } from "node:path";
import type { Writable } from "node:stream";
import { showCount } from "../model/counts.ts";
import { EXIT } from "../model/exit-code.ts";
import { showText } from "../model/text.ts";
import { describeProblemAt } from "./problem-line.ts";
import { listenTo, type Reporter } from "./reporter.ts";
import { describePins } from "./summary-lines.ts";

/** GitHub shows ten annotations per level and step, and silently leaves out the others. */
const MAX_ERRORS = 10;

/** The environment of a job of GitHub Actions. */
interface GithubOptions {
  readonly stderr: Writable;
  readonly cwd: string;
  /** The directory of the repository: annotations name files relative to it. */
  readonly workspace: string | undefined;
}

/** Annotations for a job of GitHub Actions, on standard error. */
export function createGithubReporter({ stderr, cwd, workspace }: GithubOptions): Reporter {
  let errors = 0;
  let hasFailed = false;
  const annotate = (annotation: Annotation): void => void stderr.write(`${formatAnnotation(annotation)}\n`);

  function placeOf(file: string): string {
    if (workspace === undefined) return file;
    const path = relative(workspace, resolve(cwd, file));
    return path.startsWith("..") || isAbsolute(path) ? file : path;
  }

  function tellError(file: string | undefined, line: number | undefined, text: string): void {
    errors += 1;
    // The last annotation counts those that are not shown.
    if (errors >= MAX_ERRORS) return;
    annotate({ level: "error", file: file === undefined ? undefined : placeOf(file), line, text });
  }

  function tellRest(): void {
    const left = errors - MAX_ERRORS + 1;
    if (left > 0)
      annotate({ level: "error", text: `and ${showCount(left, "more problem")}, which the log names` });
    errors = 0;
  }

  return listenTo(
    {
      survey: ({ survey }) => describePins(survey).forEach((text) => annotate({ level: "warning", text })),
      reject: ({ file, ...problem }) => tellError(file, problem.line, describeProblemAt(problem)),
      problems({ file, first }) {
        for (const problem of first) tellError(file, problem.line, describeProblemAt(problem));
      },
      summary({ exitCode, reason }) {
        if (exitCode !== EXIT.ok && !hasFailed && reason !== "") tellError(undefined, undefined, reason);
        tellRest();
      },
    },
    {
      fail({ message, hint, place }) {
        hasFailed = true;
        const lines = [message, ...(hint === undefined ? [] : [hint])].join("\n").split("\n");
        tellError(place?.file, place?.line, lines.map((line) => showText(line, 1000)).join("\n"));
      },
      close: tellRest,
    },
  );
}

/** A line that GitHub shows next to a file, or above a run. */
interface Annotation {
  readonly level: "error" | "warning";
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
