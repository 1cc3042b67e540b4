import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SinkReport, SinkSettings } from "./sink.ts";

/** A command to start. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
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
export async function measure({ file, args, env, cwd }: Command): Promise<Usage> {
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
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    const seconds = (performance.now() - started) / 1000;
    if (code !== 0) throw new Error(`${[file, ...args].join(" ")} ended with ${code ?? signal}: ${said}`);
    const cpu = readCpuOfChildren();
    const cpuSeconds = cpu === undefined || cpuBefore === undefined ? undefined : cpu - cpuBefore;
    return { seconds, cpuSeconds, peakMb: peakMb === 0 ? undefined : peakMb };
  } finally {
    clearInterval(poll);
  }
}

/** Left out: extra certificates cost each start of Node some 45 ms, and NODE_OPTIONS may cost anything. */
const LEFT_OUT: ReadonlySet<string> = new Set(["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS"]);

/** The environment of the bench, without variables that change how rec-push or Node runs. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("REC_PUSH_") && !LEFT_OUT.has(name)),
  );
}

/** The sum, in megabytes, of the peaks so far of a process and its living descendants. */
function readMemory(pid: number): number {
  try {
    const [, kilobytes = "0"] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    const children = listed === "" ? [] : listed.split(" ").map(Number);
    return children.reduce((sum, child) => sum + readMemory(child), Number(kilobytes) / 1024);
  } catch {
    return 0;
  }
}

/** Processor seconds of children of this process that have ended; commands run one at a time. */
function readCpuOfChildren(): number | undefined {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** The service to which the commands push, in its own process. */
export interface Sink {
  readonly url: string;
  /** Reads and resets the counters. */
  report(): Promise<SinkReport>;
  stop(): Promise<void>;
}

/** Starts a sink and waits until it listens. The caller stops it. */
export async function startSink(settings: SinkSettings): Promise<Sink> {
  const script = fileURLToPath(new URL("sink.js", import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: ownEnvironment(),
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const url = `http://127.0.0.1:${line.toString().trim()}`;
  return {
    url,
    report: async () => (await (await fetch(url)).json()) as SinkReport,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}
