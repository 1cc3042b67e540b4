import type { BenchRun } from "./bench-run.ts";
import type { InputFormat } from "./inputs.ts";
import { miller, type Peer, python, recPush, straightforward } from "./peers.ts";
import type { Race } from "./race.ts";
import { atLeast, atMost } from "./result.ts";

const byDefault = recPush();
const pinned = recPush("--no-survey", "--date-format", "DD/MM/YYYY", "--decimal", ",");
const fixed: readonly Peer[] = ["1", "2", "4", "8", "16"].map((count) => recPush("--concurrency", count));

/** French CSV with commas, its amounts in quotes, against everybody. */
export function csvRace({ rows }: BenchRun): Race {
  const peers = [straightforward, python, miller, byDefault, pinned];
  return {
    name: "csv",
    title: "CSV, amounts in quotes, local sink",
    format: "csv",
    rows,
    sink: {},
    peers,
    verified: peers,
    targets: (of) => {
      const seconds = of("rec-push")?.seconds ?? Number.NaN;
      const times = (who: string): number | undefined => {
        const other = of(who);
        return other === undefined ? undefined : other.seconds / seconds;
      };
      return [
        ...atLeast("default settings: 2.5 x the straightforward script", of("rec-push")?.ratio, 2.5),
        ...atLeast("default settings: 1.7 x Python", times(python.who), 1.7),
        ...atLeast("default settings: 1.7 x Miller + curl", times(miller.who), 1.7),
        ...atLeast("without survey, pinned: 3.5 x the straightforward script", of(pinned.who)?.ratio, 3.5),
      ];
    },
  };
}

/** The same rows as a French Excel saves them: semicolons, nothing in quotes. */
export function semicolonRace({ rows }: BenchRun): Race {
  return {
    ...textRace("semicolon", "CSV with semicolons, nothing in quotes, local sink", rows),
    targets: (of) =>
      atLeast("default settings: 2.5 x the straightforward script", of("rec-push")?.ratio, 2.5),
  };
}

/** The same rows as JSON array or NDJSON. */
export function jsonRace(format: "json" | "ndjson", { rows }: BenchRun): Race {
  return {
    ...textRace(format, `${format === "json" ? "JSON array" : "NDJSON"}, local sink`, rows),
    targets: (of) => atLeast("1.5 x the straightforward script", of("rec-push")?.ratio, 1.5),
  };
}

function textRace(format: InputFormat, title: string, rows: number): Omit<Race, "targets"> {
  const peers = [straightforward, python, miller, byDefault];
  return { name: format, title, format, rows, sink: {}, peers, verified: peers };
}

/** A service that takes its time: what the number of requests in flight decides. */
export function latencyRace({ rows }: BenchRun): Race {
  return {
    name: "latency",
    title: "CSV, service with 50 ms latency",
    format: "csv",
    rows: Math.max(1, Math.round(rows / 5)),
    sink: { latencyMs: 50 },
    peers: [straightforward, byDefault, ...fixed],
    verified: [straightforward, byDefault],
    targets: (of) => {
      const best = Math.min(...fixed.map(({ who }) => of(who)?.seconds ?? Number.NaN));
      return [
        ...atLeast("default settings: 8 x the straightforward script", of("rec-push")?.ratio, 8),
        ...atMost(
          "default settings: within 10 % of the best fixed concurrency",
          (of("rec-push")?.seconds ?? Number.NaN) / best,
          1.1,
        ),
      ];
    },
  };
}

/** A service that takes 20 requests a second and answers 429 above. */
export function limitRace({ rows }: BenchRun): Race {
  return {
    name: "limit",
    title: "CSV, service with a limit of 20 requests a second",
    format: "csv",
    rows: Math.max(1, Math.round(rows / 5)),
    sink: { perSecond: 20 },
    peers: [byDefault],
    verified: [],
    targets: (of) => [
      ...atLeast("95 % of the limit used", of("rec-push")?.limitUsed, 0.95),
      ...atMost("fewer than 2 % of the requests refused", of("rec-push")?.refused, 0.02),
    ],
  };
}
