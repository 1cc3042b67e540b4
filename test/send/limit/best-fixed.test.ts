import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seeded } from "../support/seeded.ts";
import { simulate, type MakeService, type Simulated } from "../support/simulate.ts";
import { workersTaking } from "../support/simulated-service.ts";

const BATCHES = 800;
const FIXED = [1, 2, 4, 8, 16, 32];

interface Simulation {
  /** Makes the service, from a source of random numbers. */
  readonly make: (random: () => number) => MakeService;
  /** The most times the best fixed concurrency's duration. */
  readonly most: number;
  /** The most requests in flight that the service has any use for. */
  readonly useful: number;
}

const mostInFlight = ({ seen }: Simulated): number => Math.max(...seen.map(({ inFlight }) => inFlight));

/** A factor with the median 1 whose logarithm is spread evenly; `noise` 1: from 0.6 to 1.6. */
const spread = (random: () => number, noise: number): number => Math.exp(noise * (random() - 0.5));

async function compare({ make, most, useful }: Simulation, seed: number): Promise<void> {
  let bestMs = Infinity;
  for (const concurrency of FIXED) {
    const { ms } = await simulate(BATCHES, make(seeded(seed)), { concurrency });
    bestMs = Math.min(bestMs, ms);
  }
  const auto = await simulate(BATCHES, make(seeded(seed)));
  expect(auto.ms).toBeLessThan(bestMs * most);
  // The climb goes to 16 at once: it cannot know what the service has use for before it sees a queue.
  expect(mostInFlight(auto)).toBeLessThanOrEqual(Math.max(16, 4 * useful));
}

const kinds: readonly (readonly [string, fc.Arbitrary<Simulation>])[] = [
  [
    "takes the same time for any number of requests",
    fc
      .integer({ min: 50, max: 2000 })
      .map((ms) => ({ make: () => () => () => ({ ms }), most: 1.09, useful: 32 })),
  ],
  [
    "takes times that differ at random",
    fc.integer({ min: 80, max: 2000 }).map((ms) => ({
      make: (random) => () => () => ({ ms: ms * spread(random, 0.8) }),
      most: 1.3,
      useful: 32,
    })),
  ],
  [
    "has a few workers and a queue",
    fc
      .record({ workers: fc.integer({ min: 1, max: 24 }), ms: fc.integer({ min: 50, max: 500 }) })
      .map(({ workers, ms }): Simulation => ({
        make: (random) => (clock) => workersTaking(clock, workers, () => ms * spread(random, 0.4)),
        most: 1.15,
        useful: workers,
      })),
  ],
  [
    "has a few workers far away",
    fc
      .record({ workers: fc.integer({ min: 1, max: 8 }), wayMs: fc.integer({ min: 20, max: 200 }) })
      .map(({ workers, wayMs }): Simulation => ({
        make: (random) => (clock) => {
          const work = workersTaking(clock, workers, () => 20 * spread(random, 0.4));
          return (arrival) => ({ ms: work(arrival).ms + wayMs });
        },
        most: 1.25,
        useful: Math.ceil((workers * (20 + wayMs)) / 20),
      })),
  ],
];

describe("auto concurrency, compared with the best fixed number in the same simulation", () => {
  it.each(kinds)("is nearly as fast at a service that %s", async (_, simulations) => {
    await fc.assert(fc.asyncProperty(simulations, fc.integer(), compare), { numRuns: 12 });
  });
});
