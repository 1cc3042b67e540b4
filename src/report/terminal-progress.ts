import ora from "ora";
import { showText } from "../model/visible-text.ts";
import type { OutputStream } from "./output-stream.ts";
import { createProgressText, type Progress } from "./progress.ts";

/** In a narrower terminal the words say nothing any more. Below one column ora would clear lines for ever. */
const NARROWEST = 20;
/** The spinner, a space, and the last column, in which some terminals begin a new line. */
const BESIDE_TEXT = 3;

/**
 * A spinner and one line of text on a terminal's standard error, out of the way while a line is written. No progress while
 * the terminal is narrower than 20 columns or does not know its size (0 columns).
 */
export function createTerminalProgress(stderr: OutputStream): Progress {
  const spinner = ora({
    stream: stderr as NodeJS.WriteStream,
    discardStdin: false,
    hideCursor: true,
    isEnabled: true,
  });
  const describe = createProgressText();
  const leave = (): void => {
    if (spinner.isSpinning) spinner.stop();
  };
  let latest: string | undefined;
  const show = (): void => {
    if (latest === undefined) return;
    const columns = stderr.columns ?? 80;
    if (columns < NARROWEST) return leave();
    spinner.text = showText(latest, columns - BESIDE_TEXT);
    if (!spinner.isSpinning) spinner.start();
  };
  // Node changes `columns` and emits this in one go, so ora never draws with a width that was not looked at here.
  stderr.on("resize", show);
  return {
    update(event) {
      latest = describe(event, performance.now()) ?? latest;
      show();
    },
    write(print) {
      if (!spinner.isSpinning) {
        print();
        return;
      }
      spinner.clear();
      print();
      spinner.render();
    },
    stop() {
      stderr.off("resize", show);
      latest = undefined;
      leave();
    },
  };
}
