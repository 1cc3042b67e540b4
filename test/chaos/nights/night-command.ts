import { spawn } from "node:child_process";
import { resolve } from "node:path";
import type { NightService, RequestKill } from "./night-service.ts";

type Event = Readonly<Record<string, unknown>>;

/** When a process is killed: at a request, at its n-th file operation, or after a time. */
export type NightKill =
  | { readonly kind: "request"; readonly plan: RequestKill }
  | { readonly kind: "write"; readonly at: number; readonly isAfter: boolean }
  | { readonly kind: "time"; readonly afterMs: number };

/** How a command ended. */
export interface NightEnd {
  readonly isKilled: boolean;
  readonly code: number | null;
  readonly events: readonly Event[];
  readonly stderr: string;
}

/** The surroundings of a command. */
export interface NightPlace {
  readonly directory: string;
  readonly stateHome: string;
  readonly program: string;
  readonly service: NightService;
}

/** Runs the built command in its own process, and waits until the service has received all it sent. */
export async function runNightCommand(
  argv: readonly string[],
  { directory, stateHome, program, service }: NightPlace,
  kill?: NightKill,
): Promise<NightEnd> {
  const isAtWrite = kill?.kind === "write";
  const hook = isAtWrite ? [`--import=${resolve("test/chaos/nights/kill-at-write.mjs")}`] : [];
  const child = spawn(process.execPath, [...hook, program, ...argv], {
    cwd: directory,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: directory,
      XDG_STATE_HOME: stateHome,
      XDG_CONFIG_HOME: directory,
      XDG_CACHE_HOME: directory,
      REC_PUSH_URL: service.url,
      REC_PUSH_TOKEN: "nights-token",
      ...(isAtWrite ? { NIGHTS_KILL_AT: String(kill.at), NIGHTS_KILL_AFTER: kill.isAfter ? "1" : "0" } : {}),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const die = (): void => void child.kill("SIGKILL");
  if (kill?.kind === "request") service.kill = { ...kill.plan, process: die };
  const timer = setTimeout(die, kill?.kind === "time" ? kill.afterMs : 120_000);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code, signal] = await new Promise<[number | null, string | null]>((done) => {
    child.on("close", (...end) => done(end));
  });
  clearTimeout(timer);
  await service.settled();
  const events = readEvents(stdout);
  // A command that was killed after its summary counts as ended.
  const told = events.findLast(({ event }) => event === "summary")?.["exitCode"] as number | undefined;
  return { isKilled: signal === "SIGKILL" && told === undefined, code: code ?? told ?? null, events, stderr };
}

/** Events are whole lines; a kill may have cut the last. */
function readEvents(stdout: string): readonly Event[] {
  return stdout.split("\n").flatMap((line) => {
    try {
      return line.startsWith("{") ? [JSON.parse(line) as Event] : [];
    } catch {
      return [];
    }
  });
}
