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
      commands += old!.length + fresh!.length;
      const differences = compareSteps(cases[at]!.name, old!, fresh!);
      const judged = judge(differences, intended);
      for (const entry of judged.used) used.add(entry);
      listed += differences.length - judged.left.length;
      left[at] = judged.left;
      order.tell?.(++done, cases[at]!, fresh!);
    }
    for (const { resident } of builds) resident?.end();
  };
  // Names of one length, because some texts are cut at a width.
  const attempt = async (at: number, build: Build, which: number): Promise<readonly Step[]> => {
    try {
      return await World.play(cases[at]!, build, join(order.directory, `${at}-${which}`));
    } catch (error) {
      throw new Error(`${cases[at]!.name} with ${build.directory}`, { cause: error });
    }
  };
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
