import { spawnSync } from "node:child_process";
import { cpus, loadavg, totalmem, type } from "node:os";

/** The machine on which the figures were measured. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
}

/** This machine, with the version of the Node that runs rec-push. Throws if that is not Node. */
export function describeMachine(node: string): Machine {
  const { status, stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`--node ${node}: not a Node binary`);
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model ?? "unknown processor",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: type(),
    node: stdout.trim(),
  };
}

/** A note for readers of the figures about other work on the cores; the bench itself is two processes. */
export function describeLoad({ cores }: Machine): string {
  const [, lately = 0] = loadavg();
  return lately <= Math.max(cores, 2)
    ? ""
    : `\nThe machine was loaded (${lately.toFixed(1)} over five minutes, ${cores} cores): read the ratios by CPU time, not those by the clock.\n`;
}
