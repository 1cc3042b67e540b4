/** The counts of a run of chaos. */
export interface Counters {
  nights: number;
  commands: number;
  kills: number;
  /** Doubts settled. */
  doubts: number;
  /** Records in the service beyond those that were sent once, or beyond the true orders. */
  twice: number;
  /** Rows that count as accepted and are not in the service, or that have no outcome. */
  lost: number;
  /** Creates whose outcome rec-push does not know and does not list as in doubt. */
  unnamedDoubt: number;
  /** Keys whose value is not that of the last accepted row. */
  staleKeys: number;
  /** Rows that were not reported, and exit codes and counts that contradict the results of the rows. */
  untold: number;
  /** Nights without an end: a question that comes again after its answer, an exit code with no way to go on, too many commands. */
  stuck: number;
}

const GOOD = ["nights", "commands", "kills", "doubts"] as const;
/** What must stay zero. */
const BAD = ["twice", "lost", "unnamedDoubt", "staleKeys", "untold", "stuck"] as const;

export function newCounters(): Counters {
  return Object.fromEntries([...GOOD, ...BAD].map((name) => [name, 0])) as unknown as Counters;
}

export function showCounters(counters: Counters): string {
  return [...GOOD, ...BAD].map((name) => `${name}=${counters[name]}`).join(" ");
}

export function badOf(counters: Counters): number {
  return BAD.reduce((sum, name) => sum + counters[name], 0);
}

/** Lives one world of a seed; returns what was told in it, which is printed if something is found. */
export type Live = (seed: number, counters: Counters, maxKills: number) => Promise<readonly string[]>;

/** Lives worlds one after the other until so many processes were killed, from the `first` one of a seed on. */
export async function liveWorlds(
  live: Live,
  { kills, seed, first = 1 }: { readonly kills: number; readonly seed: number; readonly first?: number },
  say: (line: string) => void = () => undefined,
): Promise<Counters> {
  const counters = newCounters();
  for (let world = first; counters.kills < kills; world++) {
    const before = badOf(counters);
    const told = await live(seed + world * 2, counters, kills - counters.kills);
    if (badOf(counters) > before) process.stderr.write(`${told.join("\n")}\n`);
    say(`world ${world}: ${showCounters(counters)}`);
  }
  return counters;
}
