import { parseArgs } from "node:util";

/** The options of a bench run. */
export interface BenchOptions {
  readonly rounds: number;
  readonly rows: number;
  readonly largeRows: number;
  readonly ledgerRows: number;
  /** Names of scenarios; empty for all. */
  readonly only: readonly string[];
  readonly node: string;
  /** The directory in which inputs are kept for other runs. */
  readonly keep: string | undefined;
  readonly isJson: boolean;
  /** True: a short run that shows the targets only. */
  readonly isTargets: boolean;
  readonly isHelp: boolean;
}

/** On two cores these take about five minutes. */
const SHORT_ROUNDS = "2";
const SHORT_ROWS = "250000";

export const BENCH_HELP = `npm run bench -- [options]

  --targets           the short form: which targets hold, from ${SHORT_ROUNDS} rounds of ${SHORT_ROWS} rows unless said otherwise
  --only NAME         only this scenario; may be repeated
  --rounds N          rounds of each scenario (default: 5)
  --rows N            rows of the usual input (default: 1000000)
  --large-rows N      rows of the large input of "memory" (default: five times as many)
  --ledger-rows N     creates in the ledger of "ledger" (default: ten times as many)
  --node FILE         the Node binary that runs rec-push and the straightforward script
  --keep DIR          keep the inputs in this directory and use those that are there
  --json              one JSON object with all results

scenarios:
`;

/** Reads the command line. Throws if it is wrong. */
export function parseBenchOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: "string", multiple: true, default: [] },
      targets: { type: "boolean", default: false },
      rounds: { type: "string" },
      rows: { type: "string" },
      "large-rows": { type: "string" },
      "ledger-rows": { type: "string" },
      node: { type: "string", default: process.execPath },
      keep: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const isTargets = values.targets;
  const rows = parseNumber("--rows", values.rows ?? (isTargets ? SHORT_ROWS : "1000000"));
  const large = values["large-rows"];
  const ledger = values["ledger-rows"];
  return {
    rounds: parseNumber("--rounds", values.rounds ?? (isTargets ? SHORT_ROUNDS : "5")),
    rows,
    largeRows: large === undefined ? rows * 5 : parseNumber("--large-rows", large),
    ledgerRows: ledger === undefined ? rows * 10 : parseNumber("--ledger-rows", ledger),
    only: values.only,
    node: values.node,
    keep: values.keep,
    isJson: values.json,
    isTargets,
    isHelp: values.help,
  };
}

function parseNumber(option: string, text: string): number {
  const value = Number(text.replaceAll("_", ""));
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`${option} ${text}: a whole number above 0 is needed`);
}
