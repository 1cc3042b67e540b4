import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { Book } from "../../src/store/book.ts";
import { type AppliedRecord, CALM, ChaosService } from "../chaos/chaos-service.ts";
import { makeStateHome } from "./run-main.ts";
import { type ProcessResult, runProcess, startProcess } from "./run-process.ts";
import { ONE_IN_PLURAL } from "./scenario.ts";
import { tableIn } from "./table-parts.ts";
import { makeDirectory, makeFile } from "./temp-files.ts";

type Environment = Record<string, string>;

/** A service that accepts every record and keeps them in the order of arrival. */
async function countingService(latencyMs = 0) {
  let [gate, lost] = [Infinity, 0];
  const service: ChaosService = await ChaosService.start(() => {
    if (service.applied.length < gate) return { ...CALM, delayMs: latencyMs };
    lost += 1;
    return { ...CALM, applies: false, how: "silence" };
  });
  onTestFinished(() => service.close());
  return {
    url: service.url,
    taken: service.applied,
    /** How many requests were not answered. */
    lost: () => lost,
    /** After this many records, requests are neither taken nor answered. */
    stopAfter: (records: number) => void (gate = records),
  };
}

/** Commands that share a service, a state and a directory for the plan. */
export async function openShardWorld(latencyMs = 0) {
  const service = await countingService(latencyMs);
  const directory = await makeDirectory();
  const env = {
    XDG_STATE_HOME: makeStateHome(),
    REC_PUSH_URL: service.url,
    REC_PUSH_TOKEN: "a-token-of-tests",
  };
  const out = join(directory, "plan");
  const run = async (argv: readonly string[], more: Environment = {}): Promise<ProcessResult> => {
    const ended = await runProcess(argv, { env: { ...env, ...more }, others: "nothing" });
    expect(ended.stdout + ended.stderr).not.toMatch(ONE_IN_PLURAL);
    return ended;
  };
  const plan = (files: readonly string[], shards: number, words: readonly string[] = []) =>
    run(["plan", ...files, "--table", "commandes", "--shards", String(shards), "--out", out, ...words]);
  const shard = (number: number, of: number, words: readonly string[] = []) =>
    run(["push", "--plan", out, "--shard", `${number}/${of}`, ...words]);
  const start = (number: number, of: number) =>
    startProcess(["push", "--plan", out, "--shard", `${number}/${of}`, "-v"], env, undefined, "nothing");
  return {
    service,
    directory,
    env,
    out,
    run,
    plan,
    /** Plans a file with this content; returns its path and what was said. */
    planned: async (content: string | Buffer, shards: number, words: readonly string[] = []) => {
      const file = await makeFile("orders.csv", content);
      const ended = await plan([file], shards, words);
      expect(ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining("error") });
      return { file, said: ended.stdout };
    },
    shard,
    start,
    /** Pushes these shards at the same time; each sends all that it has. */
    shards: async (of: number, some: readonly number[] = numbers(of).map((at) => at + 1)) => {
      const ends = await Promise.all(some.map((number) => shard(number, of)));
      expect(ends.map(({ code }) => code)).toEqual(some.map(() => 0));
      return ends;
    },
    /** Kills the first of two shards once the service got so many records; the later requests are lost. */
    killed: async (records: number) => {
      service.stopAfter(records);
      const { child, ended } = start(1, 2);
      while (service.taken.length < records || service.lost() === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      // The answers that left before are in the journal by then.
      await new Promise((resolve) => setTimeout(resolve, 300));
      child.kill("SIGKILL");
      await ended;
      service.stopAfter(Infinity);
    },
    runs: (words: readonly string[] = []) => run(["runs", "--plan", out, ...words]),
    /** The numbers of all creates that the service got, in their order. */
    creates: () => sentNumbers(service.taken.filter(({ key }) => key === undefined)),
  };
}

export const HEADER = "cle;num_commande;actual_billable_amount\n";
export const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** Rows of which every other one is a create. */
export function mixed(count: number, from = 0): string {
  return (
    HEADER +
    numbers(count)
      .map((at) => `${at % 2 === 0 ? `K${1000 + at}` : ""};${from + at};1,5\n`)
      .join("")
  );
}

export function sentNumbers(taken: readonly AppliedRecord[]): readonly number[] {
  return taken.map(({ number }) => Number(number)).toSorted((one, other) => one - other);
}

/** The number of creates in each file of a ledger. */
export async function createsInLedger(home: string): Promise<readonly number[]> {
  const book = new Book(await tableIn(join(home, "rec-push")));
  await book.refresh();
  return [...book.prints.values()].map(({ certain }) => certain);
}

/** The numbers that each key was sent with, in the order in which the service took them. */
export function byKey(taken: readonly AppliedRecord[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const { key = "", number } of taken) found.set(key, [...(found.get(key) ?? []), Number(number)]);
  found.delete("");
  return found;
}
