import { drawProgress, RunProgress, SYSTEM_TICKER, type Ticker } from "./plain-progress.ts";
import { cutToWidth, type OutputStream, type Progress, textWidth } from "./terminal-lines.ts";

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
  ticker: Ticker = SYSTEM_TICKER,
): Promise<Progress> {
  const { default: ora } = await import("ora");
  // It has to be drawn below lines that grow, so only its frames are used, and the screen places them.
  const spinner = ora({
    stream: stderr as NodeJS.WriteStream,
    color: false,
    isEnabled: false,
    discardStdin: false,
  });
  const screen = openScreen(stderr);
  const progress = new RunProgress();
  let growing: readonly string[] = [];
  const draw = (): void => {
    if (screen.columns() < NARROWEST) return screen.clear();
    const view = progress.view(ticker.now());
    const lines = [...growing];
    if (view !== undefined) {
      spinner.text = drawProgress(view, screen.columns() - BEFORE_TEXT);
      lines.push(spinner.frame());
    }
    if (lines.length > 0) screen.draw(lines);
  };
  const stop = ticker.every(MS_BETWEEN_FRAMES, draw);
  stderr.on("resize", draw);
  return {
    update(event) {
      progress.note(event, ticker.now());
      // A question may be next.
      if (event.event === "ready") screen.pause();
    },
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

const ESCAPE = String.fromCodePoint(27);
const HIDE_CURSOR = `${ESCAPE}[?25l`;
const SHOW_CURSOR = `${ESCAPE}[?25h`;
const CLEAR_BELOW = `${ESCAPE}[0J`;
/** The last column stays empty, because some terminals begin a new line in it. */
const LAST_COLUMN = 1;

/** The lines at the bottom of a terminal that are redrawn again and again. */
export interface Screen {
  readonly columns: () => number;
  /**
   * Replaces the lines; each is cut to one row of the terminal, and the first ones are left out if the terminal is low.
   */
  readonly draw: (lines: readonly string[]) => void;
  /** Removes the lines; the cursor is where the first one began. */
  readonly clear: () => void;
  /** Like `clear`, and removes all other text in that line. */
  readonly clearLine: () => void;
  /** Removes everything and shows the cursor again, until something is drawn. */
  readonly pause: () => void;
  /** Like `pause`, for good. */
  readonly close: () => void;
}

/** A screen on a terminal's stream. If the process exits with lines on the screen, the cursor is shown again. */
export function openScreen(stream: OutputStream): Screen {
  let drawn: readonly string[] = [];
  let isHidden = false;
  const columns = (): number => stream.columns ?? 80;
  // A terminal that was made narrower has wrapped the lines; one row was drawn for each.
  const erase = (): string => {
    const rows = drawn.reduce((sum, line) => sum + rowsOf(line, columns()), 0);
    const up = rows > 1 ? `${ESCAPE}[${rows - 1}A` : "";
    return `\r${up}${CLEAR_BELOW}`;
  };
  const clear = (): void => {
    if (drawn.length > 0) stream.write(erase());
    drawn = [];
  };
  // This also removes what the terminal itself has written there, such as the ^C of an interruption.
  const clearLine = (): void => {
    stream.write(erase());
    drawn = [];
  };
  const showCursor = (): void => {
    if (isHidden) stream.write(SHOW_CURSOR);
    isHidden = false;
  };
  process.on("exit", showCursor);
  return {
    columns: () => columns() - LAST_COLUMN,
    draw(lines) {
      const height = Math.max(1, (stream.rows ?? 24) - 1);
      const shown = lines.slice(-height).map((line) => cutToWidth(line, columns() - LAST_COLUMN));
      stream.write(`${isHidden ? "" : HIDE_CURSOR}${erase()}${shown.join("\n")}`);
      isHidden = true;
      drawn = shown;
    },
    clear,
    clearLine,
    pause() {
      clear();
      showCursor();
    },
    close() {
      clear();
      showCursor();
      process.off("exit", showCursor);
    },
  };
}

function rowsOf(line: string, columns: number): number {
  return columns <= 0 ? 1 : Math.max(1, Math.ceil(textWidth(line) / columns));
}
