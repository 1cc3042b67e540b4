import type { ProcessIdentity } from "../model/process-identity.ts";
import type { RunAccount } from "./run-account.ts";
import { isRunning } from "../state/process-identity.ts";

/** The process that pushes a run now, as far as it can be seen from here. */
export function runningProcess({ ending, process, isAbandoned }: RunAccount): ProcessIdentity | undefined {
  // The process that gave it up may live on.
  if (isAbandoned) return undefined;
  return ending === undefined && process !== undefined && isRunning(process) === true ? process : undefined;
}
