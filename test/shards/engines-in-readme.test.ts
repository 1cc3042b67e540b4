import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { EXIT, SIGNAL_EXIT } from "../../src/model/exit-code.ts";

/** 128 and SIGKILL, as a shell says of a process that was killed. */
const KILLED = 137;

it("README's engines start a shard again after each exit code that wants it, and after no other", async () => {
  const readme = await readFile("README.md", "utf8");
  const [, slurm = ""] = /case \$\? in ([\d|]+)\) scontrol requeue/.exec(readme) ?? [];
  const [, kubernetes = ""] = /action: FailIndex\s+onExitCodes: .*values: \[([\d, ]+)\]/.exec(readme) ?? [];
  const again = slurm.split("|").map(Number);
  const failed = kubernetes.split(",").map(Number);
  const codes = [...Object.values(EXIT), ...Object.values(SIGNAL_EXIT)].filter((code) => code !== EXIT.ok);
  const ascending = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);
  expect(ascending([...again, ...failed])).toEqual(ascending([...codes, KILLED]));
  const { fault, unreachable, locked } = EXIT;
  expect(ascending(again)).toEqual(
    ascending([fault, unreachable, locked, KILLED, ...Object.values(SIGNAL_EXIT)]),
  );
  // What the API asks of such a list.
  expect(failed).toEqual(ascending(failed));
});
