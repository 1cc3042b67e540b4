import { join } from "node:path";
import { isPushed, leavesCreatesUnmended } from "../finish/holds-unmended.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { findPlanned, leavesCreates, planWords } from "./left-of-plan.ts";
import type { Pushing } from "./pushing.ts";
import { identityOf, type RunKeeping } from "./start-run.ts";

/**
 * Names again what the run before left to be mended and the run of an input has not sent: the creates, which it leaves
 * out, and, unless it `hasSentAll`, the updates.
 */
export async function recallBefore(
  input: SurveyedInput,
  at: number,
  { createdBy: run, hasSentAll }: { readonly createdBy: string; readonly hasSentAll: boolean },
  { books }: Pushing,
  keeping: RunKeeping,
): Promise<void> {
  const { state, target } = keeping;
  const ofPlan = await findPlanned(state, identityOf(input, keeping), run);
  const leavesSome =
    ofPlan === undefined ? await leavesCreatesUnmended(state, run) : await leavesCreates(state, ofPlan);
  if (leavesSome || !hasSentAll)
    await books.rejects.recallBeside(at, join(state.runs, run), (path) => isPushed(state, target, path));
  if (leavesSome)
    books.tally.earlier.push({ run, calledBy: planWords(ofPlan), hasRejects: true, inDoubt: 0 });
}
