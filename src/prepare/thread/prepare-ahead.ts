import { randomBytes } from "node:crypto";
import { open, rm, statfs, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { FieldPlan, PlanParts } from "../../fields/record/field-plan.ts";
import type { PreparedRecord } from "../../model/record.ts";
import type { RowProblem } from "../../model/row.ts";
import type { RowCount, StreamSettings } from "../stream-records.ts";
import type { SurveyedInput } from "../../survey/survey-input.ts";
import { jobOf, type InspectedInput } from "./prepare-job.ts";
import { PreparingThread } from "./preparing-thread.ts";

/** After the first rows, and after each doubling of their number, the formats settled so far are looked at. */
const FIRST_LOOK_ROWS = 1;

const MOST_ROOM_BYTES = 1024 ** 3;
/** The share of the free space that records may take. */
const SHARE_OF_FREE = 0.25;

/**
 * Makes the records of an input in a thread of its own. Where there is a survey it begins while that goes on, under the
 * formats that the rows so far have settled, and keeps them on disk: nothing of it counts before the survey has settled
 * the same for all rows.
 */
export class PreparingAhead {
  readonly #directory: string;
  #handle: FileHandle | undefined;
  #maxBytes = 0;
  #thread = new PreparingThread();
  #nextLook = FIRST_LOOK_ROWS;

  /** `directory` is private and outlives it. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** To be called between the chunks of the survey. */
  async look(
    rows: number,
    survey: { readonly partsSoFar: PlanParts | undefined },
    input: InspectedInput,
  ): Promise<void> {
    if (rows < this.#nextLook) return;
    this.#nextLook *= 2;
    const parts = survey.partsSoFar;
    if (parts === undefined || this.#isDoing(parts)) return;
    if (this.#thread.job !== undefined) {
      await this.#thread.stop();
      this.#thread = new PreparingThread();
    }
    const room = await this.#openRoom();
    if (room !== undefined) this.#thread.begin({ ...jobOf(input), parts, room });
  }

  /** The records made by the plan that the survey came to; `undefined` where there are none. */
  records(
    plan: FieldPlan,
    tally: RowCount,
    onReject: (problem: RowProblem) => void,
  ): AsyncIterable<readonly PreparedRecord[]> | undefined {
    if (!this.#isDoing(plan.parts) || this.#thread.isBroken) {
      // Nobody wants what it does; close waits for its end.
      void this.#thread.stop();
      return undefined;
    }
    const records = this.#thread.records(tally, onReject);
    return plan.footer === undefined ? records : withoutFooter(records, plan.footer, onReject);
  }

  /** The records of an input that nobody surveyed; `undefined` where the thread did not come up. */
  stream(
    { source, inspection, plan: { parts } }: Pick<SurveyedInput, "source" | "inspection" | "plan">,
    settings: StreamSettings,
    tally: RowCount,
    onReject: (problem: RowProblem) => void,
  ): AsyncIterable<readonly PreparedRecord[]> | undefined {
    if (this.#thread.isBroken) return undefined;
    const job = jobOf({ source, inspection, read: settings.read });
    this.#thread.begin({ ...job, parts, stream: { ...settings, read: job.read } });
    return this.#thread.records(tally, onReject);
  }

  #isDoing(parts: PlanParts): boolean {
    return isDeepStrictEqual(this.#thread.job?.parts, parts);
  }

  /** Ends the thread and gives the room back. */
  async close(): Promise<void> {
    await this.#thread.stop();
    await this.#handle?.close();
  }

  /** `undefined` where there is none. The file has no name any more, so that it goes with the process. */
  async #openRoom(): Promise<{ readonly fd: number; readonly maxBytes: number } | undefined> {
    try {
      if (this.#handle === undefined) {
        const path = join(this.#directory, `records-${randomBytes(12).toString("hex")}`);
        this.#handle = await open(path, "wx+", 0o600);
        await rm(path);
        const { bavail, bsize } = await statfs(this.#directory);
        this.#maxBytes = Math.min(MOST_ROOM_BYTES, bavail * bsize * SHARE_OF_FREE);
      }
      await this.#handle.truncate(0);
      return { fd: this.#handle.fd, maxBytes: this.#maxBytes };
    } catch {
      return undefined;
    }
  }
}

/** Rows of totals were made into records before anybody knew that they are the last. */
async function* withoutFooter(
  chunks: AsyncIterable<readonly PreparedRecord[]>,
  footer: ReadonlyMap<number, RowProblem>,
  onReject: (problem: RowProblem) => void,
): AsyncGenerator<readonly PreparedRecord[]> {
  const footerLine = Math.min(...footer.keys());
  for await (const chunk of chunks) {
    const records = chunk.filter(({ line }) => line < footerLine);
    for (const { line } of chunk.slice(records.length)) onReject(footer.get(line)!);
    if (records.length > 0) yield records;
  }
}
