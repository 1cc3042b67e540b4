import { showCount, showCountIs, showShare } from "../../model/quantities.ts";
import { EXIT, SIGNAL_EXIT } from "../../model/exit-code.ts";
import type { RunReport } from "./run-report.ts";

/** How a command ended, for someone who reads one line. */
export interface Headline {
  readonly tone: "good" | "warn" | "bad";
  readonly text: string;
}

/** The first words of the page: what became of the rows, else why there are none. */
export function headlineOf({ state, command, summary, counts, read }: RunReport): Headline {
  if (state === "running") return { tone: "warn", text: "Not ended yet" };
  if (summary === undefined || counts === undefined)
    return { tone: "bad", text: "The command did not begin" };
  switch (summary.exitCode) {
    case EXIT.ok: {
      if (command === "check") return { tone: "good", text: "Everything is ready to be sent" };
      if (read === 0 || counts.skipped === read) return { tone: "good", text: "There was nothing to send" };
      const left = counts.notSent > 0 ? `, ${showCount(counts.notSent, "row")} not sent` : "";
      return { tone: "good", text: `Done: ${showCount(counts.accepted, "row")} accepted${left}` };
    }
    case EXIT.fault:
      return { tone: "bad", text: "Stopped by this machine, or by a fault of rec-push" };
    case EXIT.usage:
      return { tone: "bad", text: "Stopped: an option, the config or the URL is wrong" };
    case EXIT.input:
      return { tone: "bad", text: "Nothing was sent: the input has to be mended, or a question answered" };
    case EXIT.refused: {
      const bad = counts.rejected + counts.refused;
      const text =
        bad === 0 ? "Finished, and someone has to look" : `${showShare(bad, read, "row")} to be mended`;
      return { tone: "bad", text };
    }
    case EXIT.credentials:
      return { tone: "bad", text: "The service refused the credentials" };
    case EXIT.request:
      return { tone: "bad", text: "The service refuses the request itself" };
    case EXIT.unreachable:
      return { tone: "bad", text: "The service could not be reached, or kept failing" };
    case EXIT.inDoubt:
      return {
        tone: "bad",
        text:
          counts.inDoubt === 0
            ? "Records of an earlier push are in doubt"
            : `${showCountIs(counts.inDoubt, "record")} in doubt`,
      };
    case EXIT.locked:
      return { tone: "warn", text: "Not started: another run is on this table" };
    case SIGNAL_EXIT.SIGHUP:
    case SIGNAL_EXIT.SIGINT:
    case SIGNAL_EXIT.SIGTERM:
      return { tone: "warn", text: "Interrupted" };
    default:
      return { tone: "bad", text: "Stopped" };
  }
}
