import type { Asker } from "../../src/cli/run-settings.ts";

/** Types answers from a list; an option stands for the number of its answer. Records the questions and the texts shown. */
export function answering(answers: readonly (string | undefined)[]) {
  const left = [...answers];
  const questions: string[] = [];
  const shown: string[] = [];
  let offered: readonly string[] = [];
  const asker: Asker = {
    tell(lines) {
      shown.push(...lines);
      offered = lines;
    },
    async line(prompt) {
      const isChoice = prompt.startsWith("1 to ") || prompt.startsWith("1, ");
      questions.push(isChoice ? (offered[1] ?? "") : prompt);
      if (left.length === 0) throw new Error(`no answer is left for ${questions.at(-1)}`);
      const answer = left.shift();
      if (answer?.startsWith("--") !== true) return answer;
      const line = offered.find((text) => /^ {2}\d/.test(text) && text.endsWith(`   ${answer}`));
      return line?.trim().split(" ")[0] ?? `no answer is ${answer} in ${offered.join("\n")}`;
    },
  };
  return { questions, shown, left, openAsker: async () => asker };
}
