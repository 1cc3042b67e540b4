import type { SurveyReport } from "../model/event.ts";
import { showCount } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";
import { joinPins } from "./survey-lines.ts";

/** More files with the same pins are counted. */
const MAX_FILES = 3;

/** Collects what was inferred of several files, so that equal advice is given once. */
export class PinLines {
  readonly #filesOf = new Map<string, string[]>();

  /** `isQuiet` leaves delimiters out, which another file of the same program has too. */
  add({ reading, pins }: SurveyReport, isQuiet: boolean): void {
    const advice = joinPins(isQuiet ? pins.filter(({ what }) => what !== "delimiter") : pins);
    if (advice === undefined) return;
    const files = this.#filesOf.get(advice) ?? [];
    files.push(showText(reading.file));
    this.#filesOf.set(advice, files);
  }

  /** The lines of the files added since the last call. */
  take(): readonly string[] {
    const lines = [...this.#filesOf].map(
      ([advice, files]) => `${nameFiles(files)}: inferred; to fix it for good, add: ${advice}`,
    );
    this.#filesOf.clear();
    return lines;
  }
}

function nameFiles(files: readonly string[]): string {
  const more = files.length - MAX_FILES;
  const named = files.slice(0, MAX_FILES).join(", ");
  return more > 0 ? `${named} and ${showCount(more, "more file")}` : named;
}
