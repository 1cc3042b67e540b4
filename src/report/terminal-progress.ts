import { drawProgress, RunProgress, SYSTEM_TICKER, type Ticker } from "./plain-progress.ts";
import { type OutputStream, type Progress, textWidth } from "./terminal-lines.ts";

/** In a narrower terminal the words would say nothing any more; in one of no columns, ora would clear lines without end. */
const NARROWEST = 20;
const MS_BETWEEN_LOOKS = 100;
const ESCAPE = String.fromCodePoint(27);
/** Columns that the words leave free: those of the spinner, and the last one, in which some terminals begin a new line. */
const BESIDE_TEXT = 4;

/**
 * Lines that grow and a line of progress at the bottom of a terminal. ora draws them below whatever else is written.
 * Nothing is shown as long as the terminal is narrower than 20 columns or does not know its size (0 columns).
 */
export async function createTerminalProgress(
  stderr: OutputStream,
  ticker: Ticker = SYSTEM_TICKER,
): Promise<Progress> {
  const { default: ora } = await import("ora");
  const stream = stderr as NodeJS.WriteStream;
  const spinner = ora({ stream, color: false, isEnabled: true, discardStdin: false });
  const progress = new RunProgress();
  let growing = "";
  const draw = (): void => {
    const { columns = 80 } = stderr;
    const view = progress.view(ticker.now());
    if (columns < NARROWEST || (view === undefined && growing === "")) {
      spinner.stop();
      return;
    }
    spinner.text = view === undefined ? "" : drawProgress(view, columns - BESIDE_TEXT);
    spinner.start();
  };
  const stop = ticker.every(MS_BETWEEN_LOOKS, draw);
  // A terminal that was made narrower has broken the lines into more rows than ora has drawn, and clears.
  const resize = (): void => {
    const { columns = 80 } = stderr;
    const lines = `${growing} - ${spinner.text}`.split("\n");
    const more = lines.reduce((sum, line) => sum + Math.max(0, Math.ceil(textWidth(line) / columns) - 1), 0);
    if (spinner.isSpinning && more > 0 && columns >= NARROWEST)
      stream.write(`${ESCAPE}[${more}A${ESCAPE}[0J`);
    draw();
  };
  stderr.on("resize", resize);
  return {
    update(event) {
      progress.note(event, ticker.now());
      // A question may be next.
      if (event.event === "ready") draw();
    },
    grow(lines) {
      growing = lines.map((line) => `${line}\n`).join("");
      spinner.prefixText = growing;
    },
    stop() {
      stop();
      stderr.off("resize", resize);
      spinner.stop();
    },
  };
}
