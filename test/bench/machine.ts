import { spawnSync } from "node:child_process";
import { cpus, totalmem, type } from "node:os";

/** What the figures were measured on. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
}

/** This machine, with the version of the Node that runs rec-push. Throws where that is no Node. */
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
