import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** A command to start. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The expected exit code (default: 0). */
  readonly exit?: number;
}

/** The cost of one run of a command; processor time and memory only if /proc shows them. */
export interface Usage {
  readonly seconds: number;
  readonly cpuSeconds: number | undefined;
  readonly peakMb: number | undefined;
}

const POLL_MS = 25;
const TICKS_PER_SECOND = 100;

/** Runs a command to its end and discards its output. If it fails, throws an error with its messages. */
export async function measure({ file, args, env, cwd, exit = 0 }: Command): Promise<Usage> {
  const cpuBefore = readCpuOfChildren();
  const started = performance.now();
  const child = spawn(file, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...ownEnvironment(), ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4000)));
  let peakMb = 0;
  const poll = setInterval(() => {
    peakMb = Math.max(peakMb, child.pid === undefined ? 0 : readMemory(child.pid));
  }, POLL_MS);
  try {
    const seconds = await new Promise<number>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code, signal) => {
        if (code === exit) resolve((performance.now() - started) / 1000);
        else reject(new Error(`${[file, ...args].join(" ")} ended with ${code ?? signal}: ${said}`));
      });
    });
    const cpu = readCpuOfChildren();
    return {
      seconds,
      cpuSeconds: cpu === undefined || cpuBefore === undefined ? undefined : cpu - cpuBefore,
      peakMb: peakMb === 0 ? undefined : peakMb,
    };
  } finally {
    clearInterval(poll);
  }
}

/** Left out: extra certificates cost each start of Node some 45 ms, and NODE_OPTIONS may cost anything. */
const LEFT_OUT: ReadonlySet<string> = new Set(["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS"]);

/** The environment of the bench, without variables that change how rec-push or Node runs. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("REC_PUSH_") && !LEFT_OUT.has(name)),
  );
}

/** The sum, in megabytes, of the peaks so far of a process and its living descendants. */
function readMemory(pid: number): number {
  let ownMb = 0;
  let children: readonly number[] = [];
  try {
    const [, kilobytes = "0"] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    ownMb = Number(kilobytes) / 1024;
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    children = listed === "" ? [] : listed.split(" ").map(Number);
  } catch {
    return 0;
  }
  return children.reduce((sum, child) => sum + readMemory(child), ownMb);
}

/** Processor seconds of children of this process that have ended; the peers run one at a time. */
function readCpuOfChildren(): number | undefined {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}
