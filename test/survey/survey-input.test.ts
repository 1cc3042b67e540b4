import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import type { Source } from "../../src/read/source/source.ts";
import { type SurveyedInput, surveyInput, type SurveyListener } from "../../src/survey/survey-input.ts";
import { fieldOptions } from "../fields/survey/survey-support.ts";
import { sourceOf } from "../read/chunks.ts";

/** Long rows: what the survey of a piece costs goes with its rows. */
const ROWS = 12_000;
const TEXT = "texte ".repeat(20);
const KEYS = Array.from({ length: ROWS }, (_, at) => `A${at}`);

/** A CSV of more than 1 MiB; `oddRows` by their number. */
function tableWith(oddRows: Readonly<Record<number, string>> = {}): string {
  const rows = KEYS.map((key, at) => oddRows[at] ?? `${key};${(at % 28) + 1}/03/2024;1 437,50;${TEXT}`);
  return `cle;date_billed;actual_billable_amount;libelle\n${rows.join("\n")}\n`;
}

interface Surveyed {
  readonly input: SurveyedInput;
  /** The keys that were passed, from the last restart on. */
  readonly keys: readonly string[];
  readonly restarts: number;
  /** How often its bytes were read. */
  readonly passes: number;
}

async function survey(
  bytes: Buffer,
  options: FieldOptions = fieldOptions(),
  listener: Partial<SurveyListener> = {},
): Promise<Surveyed> {
  let read = 0;
  let keys: string[] = [];
  let surveys = 0;
  const source: Source = {
    ...sourceOf(bytes, 65_536),
    async *open() {
      for await (const piece of sourceOf(bytes, 65_536).open()) {
        read += piece.length;
        yield piece;
      }
    },
  };
  const input = await surveyInput(source, {}, options, new AbortController().signal, {
    emit: () => undefined,
    openKeys: () => {
      surveys += 1;
      keys = [];
      return { add: (key) => void keys.push(key), settle: async () => {}, remove: async () => {} };
    },
    ...listener,
  });
  return { input, keys, restarts: surveys - 1, passes: Math.round(read / bytes.length) };
}

describe("the survey of an input", () => {
  it("is repeated once the values have settled the types of other columns", async () => {
    const bytes = Buffer.from(
      tableWith().replace("libelle", "libelle;livraison").replaceAll(TEXT, `${TEXT};12/04/2024`),
    );
    const { input, keys, restarts, passes } = await survey(bytes);
    expect(input.plan.parts.options.otherTypes?.get("livraison")).toMatchObject({ kind: "date" });
    expect({ restarts, passes, keys }).toEqual({ restarts: 1, passes: 3, keys: KEYS });
  });

  it("says what is wrong with the bytes before what is made of them", async () => {
    const record = (key: string): string => `{"cle":"${key}","libelle":"${"x".repeat(150)}"}`;
    const broken = `[${KEYS.map(record).join(",")},{"cle":]`;
    const error = { kind: "input", code: "json-syntax" };
    await expect(survey(Buffer.from(broken))).rejects.toMatchObject(error);
    await expect(survey(Buffer.from(`${broken}\0`))).rejects.toMatchObject({ code: "nul-byte" });
  });

  it("ends when it is interrupted", async () => {
    const stop = new AbortController();
    const emit: SurveyListener["emit"] = (event) => {
      if (event.event === "surveying" && event.rows > 30_000) stop.abort();
    };
    // Progress is reported by rows: these are many and short.
    const rows = "A;13/03/2024;1 437,50;texte\n".repeat(60_000);
    const source = sourceOf(`cle;date_billed;actual_billable_amount;libelle\n${rows}`, 65_536);
    const surveying = surveyInput(source, {}, fieldOptions({}), stop.signal, { emit });
    await expect(surveying).rejects.toMatchObject({ kind: "interrupted" });
  });
});
