import type { SurveyReport } from "../model/event.ts";
import { showCount } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";
import { joinPins } from "./survey-lines.ts";

/** More files with the same pins than this are counted, not named. */
const MAX_FILES = 3;

/** Collects what was inferred for several files, so that the same advice is given once. */
export class PinLines {
  readonly #filesOf = new Map<string, string[]>();

  /** `isQuiet` leaves out delimiters, because another file of the same program has the same one. */
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
