import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { Book } from "../../src/store/book.ts";
import { startServer } from "./plain-server.ts";
import { makeStateHome } from "./run-main.ts";
import { type ProcessResult, runProcess, startProcess } from "./run-process.ts";
import { ONE_IN_PLURAL } from "./scenario.ts";
import { tableIn } from "./table-parts.ts";
import { makeDirectory } from "./temp-files.ts";

type Environment = Record<string, string>;
type Fiche = Readonly<Record<string, string>>;

/** A service that accepts every record and keeps them in the order of arrival. */
async function countingService(latencyMs = 0) {
  const taken: Fiche[] = [];
  const inFlight = { now: 0, most: 0 };
  let gate = Infinity;
  const { url, close } = await startServer((_, received, response) => {
    if (taken.length >= gate) return;
    inFlight.now += 1;
    inFlight.most = Math.max(inFlight.most, inFlight.now);
    const body = JSON.parse(received.toString()) as readonly Fiche[] | { data: readonly Fiche[] };
    taken.push(...("data" in body ? body.data : body));
    setTimeout(() => {
      inFlight.now -= 1;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ msg: "Update Items OK." }));
    }, latencyMs);
  });
  onTestFinished(close);
  return {
    url,
    taken,
    /** The most requests that were in flight at once. */
    mostAtOnce: () => inFlight.most,
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
  return {
    service,
    directory,
    env,
    out,
    run,
    plan: (files: readonly string[], shards: number, words: readonly string[] = [], more: Environment = {}) =>
      run(
        ["plan", ...files, "--table", "commandes", "--shards", String(shards), "--out", out, ...words],
        more,
      ),
    shard: (shard: number, of: number, words: readonly string[] = [], more: Environment = {}) =>
      run(["push", "--plan", out, "--shard", `${shard}/${of}`, ...words], more),
    start: (shard: number, of: number) =>
      startProcess(["push", "--plan", out, "--shard", `${shard}/${of}`, "-v"], env, undefined, "nothing"),
    runs: (words: readonly string[] = [], more: Environment = {}) =>
      run(["runs", "--plan", out, ...words], more),
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

/** Rows whose keys repeat throughout the file; the number of a row is its position. */
export function repeating(count: number): string {
  return (
    HEADER +
    numbers(count)
      .map((at) => `K${100 + ((at * 7) % 60)};${at};1,5\n`)
      .join("")
  );
}

export function sentNumbers(taken: readonly Fiche[]): readonly number[] {
  return taken.map((fiche) => Number(fiche["num_commande"])).toSorted((one, other) => one - other);
}

/** The number of creates in each file of a ledger. */
export async function createsInLedger(home: string): Promise<readonly number[]> {
  const book = new Book(await tableIn(join(home, "rec-push")));
  await book.refresh();
  return [...book.prints.values()].map(({ certain }) => certain);
}

/** The numbers that each key was sent with, in the order in which the service took them. */
export function byKey(taken: readonly Fiche[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const { cle = "", num_commande: number } of taken)
    found.set(cle, [...(found.get(cle) ?? []), Number(number)]);
  found.delete("");
  return found;
}
