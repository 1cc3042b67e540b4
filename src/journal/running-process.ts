import type { ProcessIdentity } from "../model/process-identity.ts";
import type { RunAccount } from "./run-account.ts";
import { isRunning } from "../state/process-identity.ts";

/** The process that pushes a run now, as far as can be seen from here. */
export function runningProcess({ ending, process, isAbandoned }: RunAccount): ProcessIdentity | undefined {
  // A process may still be alive after it gave the run up.
  if (isAbandoned) return undefined;
  return ending === undefined && process !== undefined && isRunning(process) === true ? process : undefined;
}
