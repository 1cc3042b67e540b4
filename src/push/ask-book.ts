import { identityFields } from "../ledger/exports-rule.ts";
import { describeToSend } from "../model/counts.ts";
import type { RunEvent } from "../model/event.ts";
import { showText } from "../model/text.ts";
import { describeRecordPlan } from "../store/run-facts.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { comparisonOf, refuseUnknownFields } from "./change-ledger.ts";
import { leftOutText, tellCreatedBefore, updatesOnlyText } from "./created-before-texts.ts";
import { DuplicateCheck } from "./duplicate-check.ts";
import { findOvertaken } from "./overtaken.ts";
import { countToSend } from "./push.ts";
import { type PushRequest, type ReadKeeping, startOf } from "./run-outputs.ts";

const NOTHING = { what: "nothing", before: "" };

/** The book that a check asks. */
export interface AskedBook extends Pick<PushRequest, "read" | "files" | "optionPlan" | "ledgerWords"> {
  readonly keeping: ReadKeeping;
  /** The address of the table, as it is shown. */
  readonly shown: string;
}

/**
 * Asks the book of a table what a push of these inputs would send now, without its lock, and says so. Throws what the push
 * would stop with.
 */
export async function askBook(
  inputs: readonly SurveyedInput[],
  asked: AskedBook,
  directory: string,
  emit: (event: RunEvent) => void,
): Promise<void> {
  const { keeping, read, optionPlan, shown } = asked;
  const { table } = keeping.facts;
  const duplicates = new DuplicateCheck(asked, keeping, directory);
  const starts = [];
  const answers = [];
  const overtaken = [];
  try {
    for (const [at, input] of inputs.entries()) {
      const file = input.source.name;
      const tell = (text: string): void => emit({ event: "notice", file, text, isAlwaysShown: true });
      refuseUnknownFields(input, keeping.exports);
      const start = await startOf(input, keeping, describeRecordPlan(input, optionPlan));
      if (start.kind === "leftOut") tell(leftOutText(file, start.earlier));
      if (start.kind === "new" && start.createdBy !== undefined)
        tell(updatesOnlyText(file, start.createdBy, input.report.counts.creates));
      const stored = start.kind === "resume" ? start.stored : undefined;
      const late = { input, keeping, read, stored, before: inputs.slice(0, at), tell };
      overtaken.push(start.kind === "leftOut" ? undefined : await findOvertaken(late));
      const form = comparisonOf(input.plan, identityFields(keeping.exports), stored?.facts.compared);
      const answer = await duplicates.ask(input, start, form, at === inputs.length - 1);
      if (answer !== undefined) await tellCreatedBefore(input, answer, { read, table, emit });
      starts.push(start);
      answers.push(answer);
    }
  } finally {
    await duplicates.close();
  }
  const { what, before } = describeToSend(countToSend({ inputs, starts, answers, overtaken })) ?? NOTHING;
  const text = `the book of the table ${showText(table)} at ${shown} was asked: a push would send ${what}${before}`;
  emit({ event: "notice", text });
}
