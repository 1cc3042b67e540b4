import type { OutputStream } from "./output-stream.ts";
import { cutToWidth, textWidth } from "./text-width.ts";

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
  /** The same, and removes whatever else is in that line. */
  readonly clearLine: () => void;
  /** Removes everything and shows the cursor again. */
  readonly close: () => void;
}

/**
 * A screen on a terminal's stream; `more` follows lines that were cut. If the process exits with lines on the screen,
 * the cursor is shown again.
 */
export function openScreen(stream: OutputStream, more: string): Screen {
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
      const shown = lines.slice(-height).map((line) => cutToWidth(line, columns() - LAST_COLUMN, more));
      stream.write(`${isHidden ? "" : HIDE_CURSOR}${erase()}${shown.join("\n")}`);
      isHidden = true;
      drawn = shown;
    },
    clear,
    clearLine,
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
