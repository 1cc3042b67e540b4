/** How much was lived through; what must not happen is thrown where it is found. */
export interface Counters {
  nights: number;
  commands: number;
  kills: number;
  /** Doubts settled. */
  doubts: number;
}

export function newCounters(): Counters {
  return { nights: 0, commands: 0, kills: 0, doubts: 0 };
}

/** Lives one world of a seed. Throws if something is created twice, lost, in doubt without a word, or without an end. */
export type Live = (seed: number, counters: Counters, maxKills: number) => Promise<void>;

/** Lives worlds one after the other until so many processes were killed, from the `first` one of a seed on. */
export async function liveWorlds(
  live: Live,
  { kills, seed, first = 1 }: { readonly kills: number; readonly seed: number; readonly first?: number },
): Promise<Counters> {
  const counters = newCounters();
  for (let world = first; counters.kills < kills; world++)
    await live(seed + world * 2, counters, kills - counters.kills).catch((cause: unknown) => {
      throw new Error(`world ${world} of the seed ${seed}`, { cause });
    });
  return counters;
}
