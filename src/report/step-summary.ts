import type { Summary } from "../model/event.ts";
import { EXIT } from "../model/exit-code.ts";
import { describeSummary } from "./summary-lines.ts";

/** The part of a job's summary page that says how a command ended, in Markdown. */
export function describeStepSummary(
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
