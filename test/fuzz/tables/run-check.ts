import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { PassThrough, Writable } from "node:stream";
import type { main as runCommand } from "../../../src/cli/main.ts";
import type { DrawnFile } from "./drawn-table.ts";
import type { CommandEnd } from "./judge-sent.ts";

/** The day on which drawn files are read, because two-digit years depend on it. */
const TODAY = new Date("2026-11-22T10:00:00Z");

/** The built command, as users have it. */
const { main } = createRequire(resolve("package.json"))("./dist/cli/main.js") as { main: typeof runCommand };

/** Runs `check --records --json` on a file in `directory`, with its own state and config, and reads what it would send. */
export async function runCheck(
  file: Pick<DrawnFile, "name" | "bytes">,
  options: readonly string[],
  directory: string,
): Promise<CommandEnd> {
  mkdirSync(directory, { recursive: true });
  const [input, output] = [join(directory, file.name), join(directory, "records.ndjson")];
  writeFileSync(input, file.bytes);
  rmSync(output, { force: true });
  const stdout = collect();
  const stderr = collect();
  const code = await main(["check", input, ...options, "--records", output, "--json"], {
    stdin: new PassThrough().end(),
    stdout: stdout.stream,
    stderr: stderr.stream,
    cwd: directory,
    env: { XDG_STATE_HOME: join(directory, "state"), XDG_CONFIG_HOME: join(directory, "config") },
    now: () => TODAY,
    onSignal: () => () => undefined,
  });
  return readEnd(code, code === 3 ? "" : readText(output), stdout.text(), stderr.text());
}

/** Reads what a command wrote: its records, its events, and its messages. */
function readEnd(code: number, records: string, events: string, told: string): CommandEnd {
  const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");
  const parsed = lines(events).map((line) => JSON.parse(line) as Record<string, unknown>);
  const named = new Set<number>();
  for (const { event, line, notices } of parsed) {
    if (event === "reject" && typeof line === "number") named.add(line);
    if (event !== "survey") continue;
    for (const { text } of (notices ?? []) as readonly { text: string }[]) {
      if (!text.includes("--totals skip")) continue;
      for (const [, number] of text.matchAll(/line (\d+) \(/g)) named.add(Number(number));
    }
  }
  const error = parsed.find(({ event }) => event === "error");
  const rejects = parsed.filter(({ event }) => event === "reject").map(({ reason }) => String(reason));
  const total = rejects.some((reason) => /looks like a total|is the sum of/.test(reason)) ? " (total)" : "";
  const isOdd = rejects.some((reason) => /unlike all others|line of signs|heading or a remark/.test(reason));
  return {
    code,
    sent: lines(records).map((line) => JSON.parse(line) as Record<string, string>),
    named,
    why: error === undefined ? "" : `${String(error["code"])}${total}${isOdd ? " (odd row)" : ""}`,
    told,
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function collect(): { stream: Writable; text: () => string } {
  const parts: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      parts.push(chunk.toString());
      done();
    },
  });
  return { stream, text: () => parts.join("") };
}
