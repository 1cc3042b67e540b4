import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type BenchInput, type InputFormat, MOST_SHEET_ROWS, provideInput } from "./inputs.ts";
import { type Command, measure } from "./measure.ts";
import type { SinkSettings } from "./sink.ts";

/** The settings that all scenarios of a bench run share. */
export interface Bench {
  readonly directory: string;
  readonly rounds: number;
  readonly rows: number;
  /** Reports progress. */
  readonly tell: (text: string) => void;
}

/** One run of a way. */
interface Job {
  readonly url: string;
  /** A directory for this run, removed after it. */
  readonly scratch: string;
}

/** A command among those that are compared, and what it reads. */
export interface Way {
  readonly who: string;
  readonly command: (job: Job) => Command;
  /** The number of records that it sends. */
  readonly records?: number;
  /** A directory with the state to begin with. */
  readonly base?: string;
}

/** What is measured. */
export interface Scenario {
  readonly title: string;
  readonly sink?: SinkSettings;
  /** True if the ways that send as many records as the first one are seen to send the same, before they are timed. */
  readonly isVerified?: boolean;
  /** How often each way runs, for so many rounds. */
  readonly times?: (rounds: number) => number;
  /** Writes inputs and states; the sink has this address for all ways. */
  readonly ways: (bench: Bench, url: string) => Promise<readonly Way[]>;
}

const BIN = resolve("bin/rec-push.js");
const peer = (name: string): string => fileURLToPath(new URL(`peers/${name}`, import.meta.url));

/** rec-push with these options beside file and table. */
function recPush(input: BenchInput, options: readonly string[] = [], more: Partial<Way> = {}): Way {
  return {
    who: ["rec-push", ...options].join(" "),
    records: input.rows,
    command: ({ url, scratch }) => ({
      file: process.execPath,
      args: [BIN, "push", input.file, "--table", "commandes", ...options],
      env: {
        REC_PUSH_URL: url,
        REC_PUSH_TOKEN: "bench",
        XDG_STATE_HOME: scratch,
        XDG_CONFIG_HOME: scratch,
        TMPDIR: scratch,
      },
      cwd: scratch,
    }),
    ...more,
  };
}

/** A short script with csv-parse or JSON.parse, and fetch. */
function script(input: BenchInput, way: string = input.format): Way {
  const who = { whole: "script, whole file", lines: "script, line by line" }[way] ?? "script";
  const command: Way["command"] = ({ url }) => ({
    file: process.execPath,
    args: [peer("script.js"), input.file, way, url],
  });
  return { who, records: input.rows, command };
}

/** Python interpreters that may have openpyxl: the system's packages belong to the system's Python. */
const PYTHONS = ["python3", "/usr/bin/python3"];

/** The same script in Python, which reads a workbook row by row with openpyxl; none if this machine cannot run it. */
function python(input: BenchInput): readonly Way[] {
  const needed = input.format === "xlsx" ? "import openpyxl" : "import csv";
  const file = PYTHONS.find((program) => spawnSync(program, ["-c", needed]).status === 0);
  if (file === undefined) return [];
  const program = resolve("test/bench/peers/script.py");
  const command: Way["command"] = ({ url }) => ({ file, args: [program, input.file, input.format, url] });
  return [{ who: "Python", records: input.rows, command }];
}

function json(format: "json" | "ndjson"): Scenario {
  return {
    title: format === "json" ? "JSON array" : "NDJSON",
    isVerified: true,
    async ways({ directory, rows }) {
      const input = await provideInput(directory, format, rows);
      return [script(input, "whole"), script(input, "lines"), ...python(input), recPush(input)];
    },
  };
}

/** Enough rows for a long race at the limit below, so that the cost of finding it is a small share. */
const LIMIT_ROWS = 200_000;

const FORMATS: readonly InputFormat[] = ["csv", "json", "ndjson", "xlsx"];
const IN_LEDGER = 10;
const BY = ["--exports", "full", "--identify-by", "num_commande"];

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  csv: {
    title: "CSV, amounts in quotes",
    isVerified: true,
    async ways({ directory, rows }) {
      const input = await provideInput(directory, "csv", rows);
      return [script(input), ...python(input), recPush(input)];
    },
  },
  json: json("json"),
  ndjson: json("ndjson"),
  xlsx: {
    title: "Excel workbook",
    isVerified: true,
    async ways({ directory, rows }) {
      const input = await provideInput(directory, "xlsx", Math.min(rows, MOST_SHEET_ROWS));
      return [...python(input), recPush(input)];
    },
  },
  latency: {
    title: "CSV, service with 50 ms latency, a fifth of the rows",
    sink: { latencyMs: 50 },
    async ways({ directory, rows }) {
      const input = await provideInput(directory, "csv", Math.ceil(rows / 5));
      const fixed = ["8", "16", "32"].map((count) => recPush(input, ["--concurrency", count]));
      return [script(input), recPush(input), ...fixed];
    },
  },
  limit: {
    title: "CSV, service that answers more than 20 requests a second with 429",
    sink: { perSecond: 20 },
    times: () => 1,
    ways: async ({ directory }) => [recPush(await provideInput(directory, "csv", LIMIT_ROWS))],
  },
  memory: {
    title: "Peak memory by rows: the usual number, five and twenty times as many",
    times: (rounds) => Math.ceil(rounds / 2),
    async ways({ directory, rows }) {
      const ways: Way[] = [];
      for (const format of FORMATS)
        for (const multiple of format === "xlsx" ? [1] : format === "csv" ? [1, 5, 20] : [1, 5]) {
          const count = format === "xlsx" ? Math.min(rows, MOST_SHEET_ROWS) : rows * multiple;
          const input = await provideInput(directory, format, count);
          ways.push(recPush(input, [], { who: `${format} x ${multiple}` }));
        }
      return ways;
    },
  },
  ledger: {
    title: "Creates against the ledger",
    async ways(bench, url) {
      const { directory, rows, tell } = bench;
      const base = join(directory, `ledger-${rows}`);
      for (let part = 0; part < IN_LEDGER; part += 1) {
        tell(`${part * rows} creates in the ledger`);
        const input = await provideInput(directory, "csv", rows, { keys: "none", before: part * rows });
        const command = recPush(input, BY).command({ url, scratch: base });
        const [bin = "", , ...words] = command.args;
        await measure({ ...command, args: [bin, "ledger", "add", ...words], cwd: directory });
      }
      const before = IN_LEDGER * rows;
      const input = await provideInput(directory, "csv", rows, { keys: "none", before });
      return [
        recPush(input, BY, { who: "creates, none in the ledger" }),
        recPush(input, BY, { who: `creates, ${IN_LEDGER} times as many in the ledger`, base }),
      ];
    },
  },
  start: {
    title: "Start-up",
    // A run is so short that a few rounds would say little.
    times: (rounds) => rounds * 5,
    async ways({ directory }) {
      const input = await provideInput(directory, "csv", 10);
      const node = (who: string, ...args: readonly string[]): Way => ({
        who,
        // In a directory of its own it finds nothing that other processes left, which it would look at.
        command: ({ scratch }) => ({ file: process.execPath, args, cwd: scratch, env: { TMPDIR: scratch } }),
      });
      return [
        node("node -e 0", "-e", "0"),
        node("--help", BIN, "--help"),
        node("check of 10 rows", BIN, "check", input.file),
        recPush(input, [], { who: "push of 10 rows" }),
      ];
    },
  },
};
