import { resolve } from "node:path";
import type { RunEvent } from "../model/event.ts";
import { nameState } from "../model/name-state.ts";
import type { OptionValues } from "../options/table.ts";
import type { Reporter } from "../report/reporter.ts";
import type { Io } from "./io.ts";
import { reword } from "./reword.ts";

/** The state directory that the command names; `undefined` if it uses the usual one. */
export function namedState({ stateDir }: OptionValues, { cwd }: Pick<Io, "cwd">): string | undefined {
  return stateDir === undefined ? undefined : resolve(cwd, stateDir);
}

/** A reporter in whose texts every command finds the state directory of this one. */
export function namingState(reporter: Reporter, stateDir: string | undefined): Reporter {
  if (stateDir === undefined) return reporter;
  const name = (text: string): string => nameState(text, stateDir);
  const named = (event: RunEvent): RunEvent => {
    if (event.kind === "notice")
      return { ...event, notice: { ...event.notice, text: name(event.notice.text) } };
    if (event.kind !== "summary") return event;
    const { reason, next, ...rest } = event.summary;
    return { ...event, summary: { ...rest, stateDir, reason: name(reason), next: next.map(name) } };
  };
  return {
    ...reporter,
    emit: (event) => reporter.emit(named(event)),
    fail: (failure) => reporter.fail(reword(failure, name)),
  };
}
