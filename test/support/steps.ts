import type { Step } from "../../src/model/event.ts";

/** The `next` of an event, each step on one line as a terminal shows it. */
export function stepLines(next: unknown): readonly string[] {
  return ((next ?? []) as readonly Step[]).map(
    ({ why, command = "", after = "" }) =>
      [why, command].filter((part) => part !== "").join(": ") + (after === "" ? "" : `, ${after}`),
  );
}
