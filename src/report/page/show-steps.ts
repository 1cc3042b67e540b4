import { markup, type Markup } from "./markup.ts";

/** `what to do: COMMAND`, and words after it that are none of it. */
const STEP = /^((?:.*?: )?)(rec-push [^]*?)((?:, then |; it |, which )[^]*)?$/;

/** The next steps in order; a command has a block of its own, from which it can be taken. */
export function showSteps(steps: readonly string[]): Markup {
  return markup`<section class="next"><h2>What to do next</h2><ol>${steps.map((step) => markup`<li>${showStep(step)}</li>`)}</ol></section>\n`;
}

function showStep(step: string): readonly Markup[] {
  return step.split("\n").map((line) => {
    const [, before, command, after] = STEP.exec(line) ?? [];
    if (command === undefined) return markup`<div>${line}</div>`;
    return markup`<div>${before}</div><pre><code>${showWords(command.split(" "))}</code></pre>${after === undefined ? undefined : markup`<div>${after.replace(/^[,;] /, "")}</div>`}`;
  });
}

/** Words of a command: lines break between them, also where one has hyphens. */
export function showWords(words: readonly string[]): readonly Markup[] {
  return words.map((word, at) => markup`${at === 0 ? undefined : " "}<span class="word">${word}</span>`);
}
