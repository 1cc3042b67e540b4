import { showText } from "../model/visible-text.ts";
import type { Paint } from "./paint.ts";

/** A finding of `rec-push doctor` in words. */
interface ShownFinding {
  readonly what: string;
  readonly state: "ok" | "warning" | "wrong" | "unknown";
  readonly text: string;
  readonly hint?: string;
}

const MARKS = { ok: "ok", warning: "look", wrong: "WRONG", unknown: "?" } as const;

/** `ok     certificate  valid until 2027-01-12`, and what to do below it. */
export function describeFinding({ what, state, text, hint }: ShownFinding, paint: Paint): string[] {
  const { green, yellow, red } = paint;
  const colour = { ok: green, warning: yellow, wrong: red, unknown: yellow }[state];
  const [first = "", ...rest] = [...text.split("\n"), ...(hint === undefined ? [] : hint.split("\n"))];
  const indent = " ".repeat(20);
  return [
    `${colour(MARKS[state].padEnd(5))}  ${what.padEnd(11)}  ${showText(first, 1000)}`,
    ...rest.map((line) => `${indent}${showText(line.trim(), 1000)}`),
  ];
}
