import type { RunEvent } from "../model/event.ts";
import { throwIfInterrupted } from "../model/interruption.ts";
import type { Source } from "../read/source/source.ts";

/** Bytes of content between two events; a fast disk delivers them in a few hundredths of a second. */
const BYTES_BETWEEN_EVENTS = 16 * 1024 * 1024;

/** How far a source has been read, reported as events while it is read. */
export interface WatchedReading {
  /** The same source, which reports how far it is read; reading throws once the signal is set. */
  readonly source: Source;
  /** Begins the survey of its rows; `totalBytes` is the size of its content, if that is known. */
  readonly beginSurvey: (totalBytes?: number) => void;
  /** Reports that this many rows are surveyed. */
  readonly tell: (rows: number) => void;
}

/** Watches the passes over a source before anything is sent. */
export function watchReading(
  source: Source,
  drain: AbortSignal,
  emit: (event: RunEvent) => void,
): WatchedReading {
  const { name: file } = source;
  let totalBytes = source.isPacked === true ? undefined : source.bytes;
  let isSurvey = false;
  let seen = 0;
  let rows = 0;
  const tell = (): void => {
    const share = totalBytes === undefined ? undefined : Math.min(1, seen / totalBytes);
    emit({ kind: "surveying", file, rows, isSurvey, share });
  };
  return {
    source: {
      ...source,
      async *open() {
        seen = 0;
        let told = 0;
        for await (const bytes of source.open()) {
          throwIfInterrupted(drain);
          seen += bytes.length;
          if (seen - told >= BYTES_BETWEEN_EVENTS) {
            told = seen;
            tell();
          }
          yield bytes;
        }
      },
    },
    beginSurvey(contentBytes) {
      isSurvey = true;
      totalBytes = contentBytes ?? totalBytes;
    },
    tell(surveyed) {
      rows = surveyed;
      tell();
    },
  };
}
