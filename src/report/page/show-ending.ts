import { EXIT } from "../../model/exit-code.ts";
import { showCount, showDuration } from "../../model/quantities.ts";
import { headlineOf } from "./headline.ts";
import { markup, type Markup } from "./markup.ts";
import type { ReportedError, RunReport } from "./run-report.ts";
import { showSteps } from "./show-steps.ts";

/** How the command ended, why, and what to do next. */
export function showEnding(report: RunReport): Markup {
  const { errors, otherErrors } = report;
  return markup`${showState(report)}${errors.map(showError)}${
    otherErrors === 0 ? undefined : markup`<p>and ${showCount(otherErrors, "more error")}.</p>`
  }${showNext(report)}`;
}

function showState(report: RunReport): Markup {
  const { state, summary, errors, writtenAt } = report;
  const { tone, text } = headlineOf(report);
  const headline = markup`<p class="headline">${text}</p>`;
  if (state === "running")
    return markup`<div class="state ${tone}">${headline}<p>This command had not ended at ${writtenAt}. If it is no longer running, it was ended from outside: <code>rec-push runs</code> says what is left to do.</p></div>\n`;
  if (summary === undefined) return markup`<div class="state ${tone}">${headline}</div>\n`;
  const { exitCode, reason, safeToRerun, ms } = summary;
  const why = reason === "" || errors.length > 0 ? undefined : markup`<p>${reason}</p>`;
  const again =
    exitCode === EXIT.ok
      ? undefined
      : ` ${safeToRerun ? "It is safe to run the same command again." : "Running the same command again does not help before something is mended."}`;
  return markup`<div class="state ${tone}">${headline}${why}<p class="soft">Exit ${exitCode}, after ${showDuration(ms)}.${again}</p></div>\n`;
}

function showError({ message, hint }: ReportedError): Markup {
  const help =
    hint === undefined
      ? undefined
      : markup`<p class="soft">What settles it:</p><div class="hint">${showLinesOf(hint)}</div>`;
  return markup`<div class="box">${showLinesOf(message)}${help}</div>\n`;
}

function showLinesOf(text: string): readonly Markup[] {
  return text.split("\n").map((line) => markup`<div>${line}</div>`);
}

/** Up to exit 3 the next step is the hint of an error, which is already shown. */
function showNext({ summary, errors }: RunReport): Markup | undefined {
  if (summary === undefined || summary.next.length === 0) return undefined;
  if (errors.length > 0 && summary.exitCode <= EXIT.input) return undefined;
  return showSteps(summary.next);
}
