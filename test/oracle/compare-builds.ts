import { join } from "node:path";
import { compareSteps, type Difference } from "./compare.ts";
import { type Intended, judge } from "./judge.ts";
import type { Step } from "./observation.ts";
import { Resident } from "./resident.ts";
import { type Build, type Case, World } from "./world.ts";

export interface Order {
  readonly builds: readonly [old: string, fresh: string];
  readonly intended: readonly Intended[];
  /** For the machines of the cases. */
  readonly directory: string;
  readonly jobs: number;
  /** Called after each case with what the new build did. */
  readonly tell?: (done: number, played: Case, steps: readonly Step[]) => void;
}

export interface Comparison {
  /** Differences that are not intended. */
  readonly left: readonly Difference[];
  /** How many differences are. */
  readonly intended: number;
  /** Entries that nothing needed. */
  readonly unused: readonly Intended[];
  readonly commands: number;
}

/** What a build did, or why it could not be played to its end: a process that was killed, or ran for too long. */
type Played = readonly Step[] | string;

function notPlayed(name: string, old: Played | undefined, fresh: Played | undefined): Difference {
  const told = (played: Played | undefined): string => (typeof played === "string" ? played : "played");
  return {
    case: name,
    step: 0,
    command: "",
    where: "end",
    old: told(old),
    new: told(fresh),
    codes: ["", ""],
  };
}

/** Plays each case with both builds, some cases at a time. */
export async function compareBuilds(cases: readonly Case[], order: Order): Promise<Comparison> {
  const { intended, jobs } = order;
  const left: (readonly Difference[])[] = cases.map(() => []);
  const used = new Set<Intended>();
  let [commands, listed, next, done] = [0, 0, 0, 0];
  const work = async (): Promise<void> => {
    const builds = openBuilds(order);
    while (next < cases.length) {
      const at = next++;
      const [old, fresh] = await Promise.all(builds.map((build, which) => attempt(at, build, which)));
      const { name } = cases[at]!;
      const isPlayed = Array.isArray(old) && Array.isArray(fresh);
      if (isPlayed) commands += old.length + fresh.length;
      const differences = isPlayed ? compareSteps(name, old, fresh) : [notPlayed(name, old, fresh)];
      const judged = judge(differences, intended);
      for (const entry of judged.used) used.add(entry);
      listed += differences.length - judged.left.length;
      left[at] = judged.left;
      order.tell?.(++done, cases[at]!, isPlayed ? fresh : []);
    }
    for (const { resident } of builds) resident?.end();
  };
  // Names of one length, because some texts are cut at a width.
  const attempt = async (at: number, build: Build, which: number): Promise<Played> =>
    World.play(cases[at]!, build, join(order.directory, `${at}-${which}`)).catch(String);
  await Promise.all(Array.from({ length: jobs }, work));
  const unused = intended.filter((entry) => !used.has(entry));
  return { left: left.flat(), intended: listed, unused, commands };
}

function openBuilds({ builds, directory }: Order): Build[] {
  return builds.map((build, which) => ({
    directory: build,
    cache: join(directory, `cache-${which}`),
    resident: Resident.isPossible(build) ? new Resident(build) : undefined,
  }));
}
