import { showCount, showInteger } from "../../model/quantities.ts";
import { nameState } from "../../model/name-state.ts";
import { quoteWord } from "../../model/shell-word.ts";
import { showText } from "../../model/visible-text.ts";
import { formatEvent } from "../../report/json-event.ts";
import type { OptionValues } from "../../options/table.ts";
import type { ShardPlan } from "../../shards/shard-plan.ts";
import type { Io } from "../io.ts";
import { namedState } from "../naming-state.ts";

/** Says what was planned, and the commands that follow. */
export function describePlan(
  plan: ShardPlan,
  directory: string,
  { io, values }: { readonly io: Io; readonly values: OptionValues },
): void {
  const { json = false, quiet = false } = values;
  const parts = plan.inputs.flatMap((input) => input.parts);
  const sum = (of: (part: (typeof parts)[number]) => number): number =>
    parts.reduce((all, part) => all + of(part), 0);
  const [updates, creates] = [sum((part) => part.updates), sum((part) => part.creates)];
  const [rejected, skipped] = [sum(({ invalid }) => invalid), sum((part) => part.skipped)];
  const word = quoteWord(directory);
  const next = [
    `start each shard, on any machine that shares ${directory}: rec-push push --plan ${word} --shard 1/${plan.shards}`,
    nameState(`add them up and free the table: rec-push runs --plan ${word}`, namedState(values, io)),
  ];
  if (json) {
    const { plan: name, shards, dealtBy, table } = plan;
    const reads = plan.inputs.every(({ isAlone }) => isAlone) && dealtBy === "slices" ? "slices" : "files";
    io.stdout.write(
      formatEvent(
        "plan",
        { plan: name, directory, table, shards, dealtBy, reads, updates, creates, rejected, skipped, next },
        io.now(),
      ),
    );
    return;
  }
  if (quiet) return;
  const others = [
    ...(rejected > 0 ? [`${showCount(rejected, "row")} rejected`] : []),
    ...(skipped > 0 ? [`${showInteger(skipped)} skipped`] : []),
  ];
  const lines = [
    `plan ${plan.plan}: ${[showCount(updates, "update"), showCount(creates, "create"), ...others].join(", ")} in ${showCount(plan.shards, "shard")}; nothing was sent`,
    `  ${describeDealing(plan)}`,
    `  the table ${showText(plan.table)} is held until all of them are settled`,
    ...next.map((step) => `  Next: ${step}`),
  ];
  io.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

function describeDealing({ dealtBy, inputs }: ShardPlan): string {
  if (dealtBy === "keys")
    return "keys repeat across its parts: rows go to the shard of their key, and each shard reads the files whole";
  return inputs.every(({ isAlone }) => isAlone)
    ? "no key has rows in two shards: each reads only its stretch of the file"
    : "no key has rows in two shards; each reads the files whole, because they cannot be read from the middle";
}
