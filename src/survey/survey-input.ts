import type { PreparedChunk } from "../prepare/packed-chunk.ts";
import { createHeaderTest } from "../fields/columns/other-columns.ts";
import type { FieldOptions } from "../fields/field-options.ts";
import type { FoundOdd } from "../fields/odd/odd-rows.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import { FieldSurvey } from "../fields/survey/field-survey.ts";
import type { ColumnFigures, SurveyReport } from "../model/counts.ts";
import type { RunEvent } from "../model/event.ts";
import { hearSignals, throwIfInterrupted } from "../model/failure.ts";
import { type Inspection, inspectSource } from "../read/inspect-source.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows } from "../read/read-rows.ts";
import type { Source } from "../read/source/source.ts";
import { LastCell } from "./last-cell.ts";
import type { RepeatedKeys } from "./repeated-keys.ts";

/** Number of rows between two progress reports. */
const ROWS_BETWEEN_REPORTS = 20_000;
/** So many cells are surveyed before a signal is heard. */
const CELLS_AT_ONCE = 16_384;

/** One input after its first pass: how it is read, how its cells become records, and what was found. */
export interface SurveyedInput {
  readonly source: Source;
  readonly inspection: Inspection;
  readonly plan: FieldPlan;
  readonly report: SurveyReport;
  /** Figures of the used columns; `undefined` for a shard of a plan. */
  readonly figures?: readonly ColumnFigures[];
  /** Knows which rows are left out because a later row has their key. */
  readonly repeated?: RepeatedKeys;
  /** The part of it that a shard sends; its counts are those of the part. */
  readonly part?: InputPart;
}

/** What receives the keys of an input. */
type KeySink = Pick<RepeatedKeys, "add" | "settle" | "remove">;

/** Receives what a survey in progress finds. */
export interface SurveyListener {
  readonly emit: (event: RunEvent) => void;
  /** Called once for each survey of all rows: the keys of an earlier survey do not count. */
  readonly openKeys?: (() => KeySink) | undefined;
}

/** The rows of an input, surveyed. */
interface SurveyedRows {
  readonly survey: FieldSurvey;
  readonly remarks: readonly string[];
  readonly last: LastCell;
}

/**
 * Reads one input whole and sends nothing: settles encoding, dialect, columns and formats, and finds every invalid
 * row. Throws {@link RecPushError} of kind `input` or `usage` for problems that concern the whole file.
 */
export async function surveyInput(
  source: Source,
  read: ReadOptions,
  fields: FieldOptions,
  drain: AbortSignal,
  { emit, openKeys }: SurveyListener,
): Promise<SurveyedInput> {
  const watched = watchReading(source, drain, emit);
  let surveyed: SurveyedRows | undefined;
  let keys: KeySink | undefined;
  const surveyRows = async (options: FieldOptions, odd?: FoundOdd): Promise<SurveyedRows> => {
    // The columns of an earlier survey must not lie in memory beside those of the next.
    surveyed = undefined;
    await keys?.remove();
    keys = openKeys?.();
    const survey = new FieldSurvey(inspection.reading, options, keys, odd);
    let rows = 0;
    let reported = 0;
    let remarks: readonly string[] = [];
    const last = new LastCell(source.name);
    const mayBeCut = inspection.reading.format === "csv" && read.whole !== true;
    for await (const chunk of readRows(watched.source, inspection, read)) {
      const step = Math.max(1, Math.floor(CELLS_AT_ONCE / Math.max(1, chunk.columns.length)));
      let from = 0;
      do {
        const end = Math.min(from + step, chunk.rows.length);
        from = survey.addChunk(chunk, from, end);
        await hearSignals(drain);
      } while (from < chunk.rows.length);
      if (mayBeCut) last.add(chunk);
      rows += chunk.rows.length;
      remarks = chunk.remarks ?? remarks;
      await keys?.settle();
      if (rows - reported >= ROWS_BETWEEN_REPORTS) {
        reported = rows;
        watched.tell(rows);
      }
    }
    return { survey, remarks, last };
  };

  const inspection = await inspectSource(watched.source, {
    ...read,
    isKnownHeader: createHeaderTest(fields),
  });
  await hearSignals(drain);
  watched.beginSurvey(inspection.proof.totalBytes);
  surveyed = await surveyRows(fields);
  const odd = surveyed.survey.oddRows();
  if (odd.size > 0) surveyed = await surveyRows(fields, odd);
  const otherTypes = surveyed.survey.otherTypes();
  await hearSignals(drain);
  if (otherTypes.size > 0) surveyed = await surveyRows({ ...fields, otherTypes }, odd);
  const { plan, figures, ...found } = surveyed.survey.finish();
  await hearSignals(drain);
  const cut = surveyed.last.fault(plan.suspects);
  if (cut !== undefined) throw cut;
  const { reading } = inspection;
  const remarks = surveyed.remarks.map((text) => ({ text, isAlwaysShown: true as const }));
  return {
    source,
    inspection,
    plan,
    figures,
    report: {
      reading,
      ...found,
      notices: [...reading.notices, ...remarks, ...found.notices],
      pins: [...reading.pins, ...found.pins],
    },
  };
}

/** Bytes of content between two events; a fast disk delivers them in a few hundredths of a second. */
const BYTES_BETWEEN_EVENTS = 16 * 1024 * 1024;

/** How far a source has been read, reported as events while it is read. */
interface WatchedReading {
  /** The same source, which reports how far it is read; reading throws once the signal is set. */
  readonly source: Source;
  /** Begins the survey of its rows; `totalBytes` is the size of its content. */
  readonly beginSurvey: (totalBytes: number) => void;
  /** Reports that this many rows are surveyed. */
  readonly tell: (rows: number) => void;
}

/** Watches the passes over a source before anything is sent. */
function watchReading(source: Source, drain: AbortSignal, emit: (event: RunEvent) => void): WatchedReading {
  const { name: file } = source;
  let totalBytes = source.isPacked === true ? undefined : source.bytes;
  let isSurvey = false;
  let seen = 0;
  let rows = 0;
  const tell = (): void => {
    const share = totalBytes === undefined ? undefined : Math.min(1, seen / totalBytes);
    emit({ event: "surveying", file, rows, isSurvey, share });
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
      totalBytes = contentBytes;
    },
    tell(surveyed) {
      rows = surveyed;
      tell();
    },
  };
}

/** The rows of an input that one shard of a plan sends, as the plan wrote them; those of all shards are all its rows, each once. */
interface InputPart {
  /** Its records, ready to be sent, and its rejected rows. */
  readonly records: () => AsyncIterable<PreparedChunk>;
  /** The text that its rows have in the input, after the lines above them; a row's place is counted in it. */
  readonly rows: () => AsyncIterable<Buffer>;
}

/** Why the ledger leaves a create out. */
export type LeftOutCreate = "created" | "inDoubt" | "changed" | "repeated";
