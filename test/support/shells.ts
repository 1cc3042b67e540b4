import { spawnSync } from "node:child_process";

/** True where a program is installed; tests of shells that are not there are skipped. */
export function hasProgram(name: string): boolean {
  return spawnSync("sh", ["-c", 'command -v "$0"', name]).status === 0;
}

/** The title of tests of a program, with the reason where they are skipped. */
export function titleOf(name: string): string {
  return hasProgram(name) ? name : `${name} (skipped: it is not installed here)`;
}
