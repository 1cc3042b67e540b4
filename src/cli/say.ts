import { nameState } from "../report/summary-lines.ts";
import type { OptionValues } from "../options/table.ts";
import { formatEvent } from "../report/json-event.ts";
import { type Io, namedState } from "./run-settings.ts";

/** An outcome of a command that is no push, as an event for programs; `next` are the steps. */
interface SaidEvent {
  readonly event: string;
  readonly next?: readonly string[];
  readonly [field: string]: unknown;
}

/**
 * Prints the outcome of a command on standard output: with `--json` the event, else the lines. The commands in both find
 * the state directory of this one.
 */
export function say(
  { event, next, ...fields }: SaidEvent,
  lines: readonly string[],
  values: OptionValues,
  io: Io,
): void {
  const name = (text: string): string => nameState(text, namedState(values, io));
  io.stdout.write(
    values.json === true
      ? formatEvent(event, { ...fields, next: next?.map(name) }, io.now())
      : lines.map((line) => `${name(line)}\n`).join(""),
  );
}
