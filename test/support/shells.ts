import { spawnSync } from "node:child_process";

/** True if a program is installed; tests of missing shells are skipped. */
export function hasProgram(name: string): boolean {
  return spawnSync("sh", ["-c", 'command -v "$0"', name]).status === 0;
}

/** The title of a program's tests, with the reason if they are skipped. */
export function titleOf(name: string): string {
  return hasProgram(name) ? name : `${name} (skipped: it is not installed here)`;
}
