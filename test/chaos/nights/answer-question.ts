import type { Life, NightFile } from "./life.ts";

/**
 * Answers what a push asks, as a person who knows the shop: gives the options for the next command only, or `undefined`
 * if the question came again after its answer, or if no printed answer is right.
 */
export async function answerQuestion(
  life: Life,
  files: readonly NightFile[],
  code: string,
  hint: string,
  answered: Set<string>,
): Promise<readonly string[] | undefined> {
  life.counters.asked += 1;
  if (code === "creates-unidentified") {
    if (answered.has(code)) return undefined;
    answered.add(code);
    for (const file of life.before.toReversed())
      if (!(await changeLedger(life, "identify", file))) return undefined;
    return [];
  }
  const answer = rightAnswer(life);
  if (answer.every((word) => life.said.includes(word))) return undefined;
  if (life.said.length === 0 && hint.includes(answer.join(" "))) {
    life.said = answer;
    life.say(`-- from now on: ${answer.join(" ")}`);
    const last = life.before.at(-1);
    // As advised: earlier files need an identity once.
    if (answer.includes("num_commande") && last !== undefined)
      return (await changeLedger(life, "identify", last)) ? [] : undefined;
    return [];
  }
  if (answered.has(code)) return undefined;
  answered.add(code);
  const rows = files.flatMap((file) => file.rows);
  const there = life.truth.findThere(rows);
  life.say(`-- ${there.size} of ${rows.length} rows are there, and ${answer.join(" ")} is not offered`);
  if (there.size === 0 && hint.includes("--again")) return ["--again"];
  if (there.size < rows.length || !hint.includes("rec-push ledger add")) return undefined;
  for (const file of files) if (!(await changeLedger(life, "add", file, file.name))) return undefined;
  return [];
}

function rightAnswer({ isDelta, truth }: Life): readonly string[] {
  if (isDelta) return ["--exports", "delta"];
  return ["--exports", "full", "--identify-by", truth.correctionsAreNew ? "record" : "num_commande"];
}

async function changeLedger(
  life: Life,
  action: "add" | "identify",
  file: NightFile,
  path = file.kept,
): Promise<boolean> {
  const { code, stderr } = await life.sideCommand(["ledger", action, path, ...life.words(file)]);
  if (code !== 0) life.tell(`ledger ${action} ended with ${code}: ${stderr.slice(-400)}`);
  return code === 0;
}
