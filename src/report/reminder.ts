import type { OutputStream } from "./output-stream.ts";
import type { Tell } from "./tell.ts";

/** The height of a screen if it is not known, and of a log, whose end people look at. */
const USUAL_ROWS = 24;

/** Remembers lines that a person should have seen, and says which have scrolled away. */
export interface Reminder {
  /** The same output, with its lines counted. */
  readonly counted: (tell: Tell) => Tell;
  readonly remember: (lines: readonly string[]) => void;
  /** The remembered lines after which a full screen of other lines has come. */
  readonly scrolledAway: () => readonly string[];
}

/** A reminder for the height of this stream. */
export function createReminder({ rows }: OutputStream): Reminder {
  const remembered = new Map<string, number>();
  let told = 0;
  return {
    counted: (tell) => (lines) => {
      told += lines.length;
      tell(lines);
    },
    remember: (lines) => lines.forEach((line) => remembered.set(line, told)),
    scrolledAway: () =>
      [...remembered].filter(([, at]) => told - at >= (rows ?? USUAL_ROWS) - 1).map(([line]) => line),
  };
}
