import type { BenchRun } from "./bench-run.ts";
import {
  forOneFile,
  jsonScripts,
  miller,
  onOneCore,
  openpyxl,
  type Peer,
  pinToCore,
  python,
  recPush,
  straightforward,
} from "./peers.ts";
import type { Race } from "./race.ts";
import { atLeast, atMost, type PeerResult, type TargetResult, times } from "./result.ts";

const byDefault = recPush();
const fixed: readonly Peer[] = ["1", "2", "4", "8", "16", "32"].map((count) =>
  recPush("--concurrency", count),
);

type Find = (who: string) => PeerResult | undefined;

/** The target for how many times as fast `who` is as the fastest of these. */
function faster(work: string, who: Peer, than: readonly Peer[], limit: number, of: Find): TargetResult {
  const best = (figure: (peer: PeerResult) => number | undefined): number | undefined => {
    const known = than.flatMap((peer) => {
      const found = of(peer.who);
      const value = found && figure(found);
      return value === undefined ? [] : [value];
    });
    return known.length === 0 ? undefined : Math.min(...known);
  };
  const seconds = ({ seconds: value }: PeerResult): number => value;
  const cpuSeconds = ({ cpuSeconds: value }: PeerResult): number | undefined => value;
  const own = of(who.who);
  return atLeast(work, times(best(seconds), own?.seconds), limit, {
    byCpu: times(best(cpuSeconds), own?.cpuSeconds),
  });
}

/** French CSV with commas and quoted amounts, against all peers. */
export function csvRace({ rows }: BenchRun): Race {
  const peers = [straightforward, python, miller, forOneFile, byDefault];
  return {
    name: "csv",
    title: "CSV, amounts in quotes, local sink",
    format: "csv",
    rows,
    sink: {},
    peers,
    scripts: [straightforward],
    verified: peers,
    targets: (of) => [
      faster("CSV, default settings: times as fast as the script", byDefault, [straightforward], 4, of),
      faster("CSV, default settings: times as fast as Python", byDefault, [python], 2.4, of),
      faster("CSV, default settings: times as fast as Miller + curl", byDefault, [miller], 2.4, of),
    ],
  };
}

/** The same rows as a French Excel saves them: semicolons, nothing in quotes. */
export function semicolonRace({ rows }: BenchRun): Race {
  const peers = [straightforward, python, miller, forOneFile, byDefault];
  return {
    name: "semicolon",
    title: "CSV with semicolons, nothing in quotes, local sink",
    format: "semicolon",
    rows,
    sink: {},
    peers,
    scripts: [straightforward],
    verified: peers,
    targets: (of) => [
      faster("CSV with semicolons: times as fast as the script", byDefault, [straightforward], 4, of),
    ],
  };
}

/** The same rows as JSON array or NDJSON, against the fastest of the scripts. */
export function jsonRace(format: "json" | "ndjson", { rows }: BenchRun): Race {
  const scripts = [straightforward, ...jsonScripts];
  const peers = [...scripts, python, miller, forOneFile, byDefault];
  const what = format === "json" ? "JSON array" : "NDJSON";
  return {
    name: format,
    title: `${what}, local sink`,
    format,
    rows,
    sink: {},
    peers,
    scripts,
    verified: peers,
    targets: (of) => [
      faster(`${what}: times as fast as the fastest script`, byDefault, scripts, 3, of),
      faster(`${what}: times as fast as Python`, byDefault, [python], 2, of),
    ],
  };
}

/** The most rows that a sheet holds below its header. */
const MOST_SHEET_ROWS = 1_048_575;

/** The same rows as a workbook, against a script whose reader does not hold the workbook in memory. */
export function xlsxRace({ rows }: BenchRun): Race {
  const peers = [openpyxl, byDefault];
  return {
    name: "xlsx",
    title: "Excel workbook, local sink",
    format: "xlsx",
    rows: Math.min(rows, MOST_SHEET_ROWS),
    sink: {},
    peers,
    scripts: [openpyxl],
    verified: peers,
    targets: (of) => [
      faster("Excel workbook: times as fast as Python with openpyxl", byDefault, [openpyxl], 2, of),
      atMost("Excel workbook: peak memory", of(byDefault.who)?.peakMb, 220, { unit: "MB" }),
    ],
  };
}

/** CSV with everything on one core, the sink too. */
export function oneCoreRace({ rows }: BenchRun): Race {
  const [script, own] = [onOneCore(straightforward), onOneCore(byDefault)];
  return {
    name: "one-core",
    title: "CSV, everything on one core, the sink too",
    format: "csv",
    rows,
    sink: {},
    pin: pinToCore,
    peers: [script, own],
    scripts: [script],
    verified: [],
    targets: (of) => [faster("CSV on one core: times as fast as the script there", own, [script], 2.5, of)],
  };
}

/** A slow service, for which the number of requests in flight decides. */
export function latencyRace({ rows }: BenchRun): Race {
  return {
    name: "latency",
    title: "CSV, service with 50 ms latency",
    format: "csv",
    rows: Math.max(1, Math.round(rows / 5)),
    sink: { latencyMs: 50 },
    peers: [straightforward, byDefault, ...fixed],
    scripts: [straightforward],
    verified: [straightforward, byDefault],
    targets: (of) => {
      const known = fixed.flatMap(({ who }) => of(who)?.seconds ?? []);
      const best = known.length === 0 ? undefined : Math.min(...known);
      return [
        atLeast("50 ms service: times as fast as the script", of(byDefault.who)?.ratio, 9),
        atMost(
          "50 ms service: time of the best fixed concurrency",
          times(of(byDefault.who)?.seconds, best),
          1.05,
        ),
      ];
    },
  };
}

/** Enough rows for a long race at the limit below, so that the cost of finding it is a small share. */
const LIMIT_ROWS = 200_000;

/** A service that takes 20 requests a second and answers further ones with 429; it may announce that limit. */
export function limitRace(how: "told" | "untold"): Race {
  const isTold = how === "told";
  const works = isTold ? "20 requests a second, told in headers" : "20 requests a second";
  return {
    name: isTold ? "told-limit" : "limit",
    title: `CSV, service with a limit of ${works}`,
    format: "csv",
    rows: LIMIT_ROWS,
    sink: { perSecond: 20, tellsLimit: isTold },
    peers: [byDefault],
    scripts: [],
    verified: [],
    targets: (of) => {
      const { limitUsed, refused } = of(byDefault.who) ?? {};
      return [
        ...(isTold ? [] : [atLeast(`${works}: share used`, limitUsed, 0.98, { unit: "%" })]),
        atMost(`${works}: share of requests refused`, refused, isTold ? 0 : 0.01, { unit: "%" }),
      ];
    },
  };
}
