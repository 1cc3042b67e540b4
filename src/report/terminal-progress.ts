import type { Glyphs } from "./glyphs.ts";
import type { OutputStream } from "./output-stream.ts";
import type { Paint } from "./paint.ts";
import { SYSTEM_TICKER, type Ticker } from "./plain-progress.ts";
import type { Progress } from "./progress.ts";
import { drawProgress } from "./progress-line.ts";
import { RunProgress } from "./run-progress.ts";
import { openScreen } from "./screen.ts";

/** In a narrower terminal the words would say nothing any more. */
const NARROWEST = 20;
const MS_BETWEEN_FRAMES = 100;
/** Columns of the spinner and the space after it. */
const BEFORE_TEXT = 2;

/**
 * Lines that grow and a line of progress at the bottom of a terminal, removed while another line is written. Nothing is
 * shown as long as the terminal is narrower than 20 columns or does not know its size (0 columns).
 */
export async function createTerminalProgress(
  stderr: OutputStream,
  {
    glyphs,
    paint,
    ticker = SYSTEM_TICKER,
  }: { readonly glyphs: Glyphs; readonly paint: Paint; readonly ticker?: Ticker },
): Promise<Progress> {
  const { default: ora } = await import("ora");
  const screen = openScreen(stderr, glyphs.more);
  const progress = new RunProgress();
  // It has to be drawn below lines that grow, so only its frames are used, and the screen places them.
  const spinner = ora({
    stream: stderr as NodeJS.WriteStream,
    spinner: { interval: MS_BETWEEN_FRAMES, frames: glyphs.frames.map((frame) => paint.cyan(frame)) },
    color: false,
    isEnabled: false,
    discardStdin: false,
  });
  let growing: readonly string[] = [];
  const draw = (): void => {
    if (screen.columns() < NARROWEST) return screen.clear();
    const view = progress.view(ticker.now());
    const lines = [...growing];
    if (view !== undefined) {
      spinner.text = drawProgress(view, screen.columns() - BEFORE_TEXT, glyphs);
      lines.push(spinner.frame());
    }
    if (lines.length > 0) screen.draw(lines);
  };
  const stop = ticker.every(MS_BETWEEN_FRAMES, draw);
  stderr.on("resize", draw);
  return {
    update: (event) => progress.note(event, ticker.now()),
    write(print) {
      if (screen.columns() < NARROWEST) screen.clear();
      else screen.clearLine();
      print();
      draw();
    },
    grow: (lines) => void (growing = lines),
    stop() {
      stop();
      stderr.off("resize", draw);
      growing = [];
      screen.close();
    },
  };
}
