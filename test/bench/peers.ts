import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { BenchInput } from "./inputs.ts";
import type { Command } from "./measure.ts";
import { builtFile, projectFile } from "./places.ts";

/** The task of a peer. */
interface Job {
  readonly input: BenchInput;
  readonly url: string;
  /** The Node binary for rec-push and the straightforward script. */
  readonly node: string;
  /** A directory for this run, removed after it. */
  readonly scratch: string;
}

/** A program that pushes a file. */
export interface Peer {
  readonly who: string;
  readonly command: (job: Job) => Command;
  /** The programs it needs, each with an option that shows whether it runs. */
  readonly needs?: readonly (readonly [program: string, option: string])[];
}

/** rec-push with these options beside file and table. */
export function recPush(...options: readonly string[]): Peer {
  return {
    who: ["rec-push", ...options].join(" "),
    command: ({ input, url, node, scratch }) => ({
      file: node,
      args: [
        projectFile("bin/rec-push.js"),
        input.file,
        ...(input.more ?? []),
        "--table",
        "commandes",
        ...options,
      ],
      env: {
        REC_PUSH_URL: url,
        REC_PUSH_TOKEN: "bench",
        XDG_STATE_HOME: scratch,
        XDG_CONFIG_HOME: scratch,
        TMPDIR: scratch,
      },
      cwd: scratch,
    }),
  };
}

/** A short script with csv-parse and fetch: the ratios refer to this peer. */
export const straightforward: Peer = {
  who: "straightforward script",
  command: ({ input, url, node }) => ({
    file: node,
    args: [builtFile("peers/straightforward.js"), input.file, input.format, url],
  }),
};

/** The same for JSON, without a generator for each record: JSON.parse of the whole file, or of each line. */
export const jsonScripts: readonly Peer[] = (["whole", "lines"] as const).map((way) => ({
  who: way === "whole" ? "script, whole file" : "script, line by line",
  command: ({ input, url, node }) => ({
    file: node,
    args: [builtFile("peers/json-script.js"), input.file, way, url],
  }),
}));

/**
 * A program for the files of this bench alone, with columns, dialect and formats written into it: what remains of a push
 * if nothing has to be found out.
 */
export const forOneFile: Peer = {
  who: "written for this file",
  command: ({ input, url, node, scratch }) => ({
    file: node,
    args: [builtFile("peers/for-one-file.js"), input.file, input.format, url, scratch],
  }),
};

/** How many records {@link postMany} posts in one body. */
const BODY_RECORDS = 500;

/**
 * The smallest program that posts as many bodies as the input gives: what a push needs where nothing is read. Its
 * WebAssembly is not optimised, because the memory that this takes for a moment hides the rest.
 */
export const postMany: Peer = {
  who: "smallest program that posts",
  command: ({ input: { rows }, url, node, scratch }) => ({
    file: node,
    args: [
      "--liftoff-only",
      builtFile("peers/post-many.js"),
      url,
      String(Math.ceil(rows / BODY_RECORDS)),
      join(scratch, "journal"),
    ],
  }),
};

/** The peer on one core. */
export function onOneCore(peer: Peer): Peer {
  return {
    who: `${peer.who}, one core`,
    command: (job) => pinToCore(peer.command(job)),
    needs: [...(peer.needs ?? []), ["taskset", "--version"]],
  };
}

/** A command that stays on the first core. */
export function pinToCore({ file, args, ...more }: Command): Command {
  return { file: "taskset", args: ["-c", "0", file, ...args], ...more };
}

/** The same script in Python. */
export const python: Peer = {
  who: "Python",
  needs: [["python3", "--version"]],
  command: ({ input, url }) => ({
    file: "python3",
    args: [projectFile("test/bench/peers/straightforward.py"), input.file, input.format, url],
  }),
};

/** Python interpreters that may have openpyxl: the system's packages belong to the system's Python. */
const PYTHONS = ["python3", "/usr/bin/python3"];
const WITH_OPENPYXL = PYTHONS.find(
  (program) => spawnSync(program, ["-cimport openpyxl"], { stdio: "ignore" }).status === 0,
);

/** The same script in Python, which reads a workbook row by row with openpyxl. */
export const openpyxl: Peer = {
  who: "Python, openpyxl",
  needs: [[WITH_OPENPYXL ?? "openpyxl", "--version"]],
  command: ({ input, url }) => ({
    file: WITH_OPENPYXL ?? "python3",
    args: [projectFile("test/bench/peers/straightforward.py"), input.file, input.format, url],
  }),
};

/** Two Unix programs, Miller and curl. */
export const miller: Peer = {
  who: "Miller + curl",
  needs: [
    ["mlr", "--version"],
    ["curl", "--version"],
  ],
  command: ({ input, url, scratch }) => ({
    file: "sh",
    args: [projectFile("test/bench/peers/miller-curl.sh"), input.file, input.format, url],
    env: { TMPDIR: scratch },
  }),
};

/** The programs for the peer that this machine lacks. */
export function findMissing({ needs = [] }: Peer): readonly string[] {
  return needs
    .filter(([program, option]) => spawnSync(program, [option], { stdio: "ignore" }).status !== 0)
    .map(([program]) => program);
}
