import { EXIT, SIGNAL_EXIT } from "../../model/exit-code.ts";
import { showCount, showCountIs, showShare } from "../../model/quantities.ts";
import type { RunReport } from "./gather-report.ts";

/** How a command ended, for someone who reads one line. */
export interface Headline {
  readonly tone: "good" | "warn" | "bad";
  readonly text: string;
}

const WARNINGS: ReadonlySet<number> = new Set([EXIT.locked, ...Object.values(SIGNAL_EXIT)]);

const TEXTS: Readonly<Record<number, string>> = {
  [EXIT.fault]: "Stopped by this machine, or by a fault of rec-push",
  [EXIT.usage]: "Stopped: an option, the config or the URL is wrong",
  [EXIT.input]: "Nothing was sent: the input has to be mended, or a question answered",
  [EXIT.refused]: "Finished, and someone has to look",
  [EXIT.credentials]: "The service refused the credentials",
  [EXIT.request]: "The service refuses the request itself",
  [EXIT.unreachable]: "The service could not be reached, or kept failing",
  [EXIT.inDoubt]: "Records of an earlier push are in doubt",
  [EXIT.locked]: "Not started: another run is on this table",
};

/** The first words of the page: what became of the rows, else why there are none. */
export function headlineOf({ state, command, summary, counts, read }: RunReport): Headline {
  if (state === "running") return { tone: "warn", text: "Not ended yet" };
  if (summary === undefined || counts === undefined)
    return { tone: "bad", text: "The command did not begin" };
  const { exitCode } = summary;
  if (exitCode === EXIT.ok) {
    if (command === "check") return { tone: "good", text: "Everything is ready to be sent" };
    if (read === 0 || counts.skipped === read) return { tone: "good", text: "There was nothing to send" };
    const left = counts.notSent > 0 ? `, ${showCount(counts.notSent, "row")} not sent` : "";
    return { tone: "good", text: `Done: ${showCount(counts.accepted, "row")} accepted${left}` };
  }
  const bad = counts.rejected + counts.refused;
  if (exitCode === EXIT.refused && bad > 0)
    return { tone: "bad", text: `${showShare(bad, read, "row")} to be mended` };
  if (exitCode === EXIT.inDoubt && counts.inDoubt > 0)
    return { tone: "bad", text: `${showCountIs(counts.inDoubt, "record")} in doubt` };
  if (WARNINGS.has(exitCode)) return { tone: "warn", text: TEXTS[exitCode] ?? "Interrupted" };
  return { tone: "bad", text: TEXTS[exitCode] ?? "Stopped" };
}
