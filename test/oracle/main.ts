import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Difference } from "./compare.ts";
import { inputCases } from "./inputs.ts";
import { INTENDED } from "./intended.ts";
import { report, trace } from "./report.ts";
import { compareBuilds } from "./compare-builds.ts";
import { namedScenarios } from "./named-scenarios.ts";
import { drawScenarios } from "./scenarios.ts";
import type { Case } from "./world.ts";

const USAGE = `npm run oracle -- OLD_BUILD [NEW_BUILD] [options]

Runs two builds over the same files and scenarios, each with its own directories and service, and compares what the service
received, exit codes, events and files of rows. Differences that are intended stand in test/oracle/intended.ts. Exit 1 if any other is left.

  OLD_BUILD, NEW_BUILD  directories with bin/rec-push.js and what it needs; NEW_BUILD is this directory if not given
  --inputs DIR          a directory of files to read besides the fixtures; may be repeated
  --only PATTERN        cases whose name matches: ^scenario/, ^named/, files/fixtures, tables/7
  --limit N             at most N cases of each group, spread over the group
  --scenarios N         how many scenarios are drawn (200)
  --seed N              of drawn files and scenarios (1)
  --where PATTERN       print only differences at such a place, each one in full: ^exit, received, event:summary
  --trace               print what the new build does in each case
  --jobs N              cases at a time, each with both builds (1)
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    inputs: { type: "string", multiple: true, default: [] },
    only: { type: "string", default: "" },
    limit: { type: "string", default: "Infinity" },
    scenarios: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    where: { type: "string" },
    trace: { type: "boolean", default: false },
    jobs: { type: "string", default: "1" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help || positionals.length === 0) {
  say(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  const scratch = mkdtempSync(join(tmpdir(), "rec-push-oracle-"));
  try {
    process.exitCode = await compareAll(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function compareAll(scratch: string): Promise<number> {
  const [old = "", fresh = "."] = positionals;
  const seed = Number(values.seed);
  const only = new RegExp(values.only);
  const named = [
    ...namedScenarios(),
    ...drawScenarios(seed, Number(values.scenarios)),
    ...(await inputCases(values.inputs, seed, scratch)),
  ].filter(({ name }) => only.test(name));
  const groups = new Map<string, Case[]>();
  for (const one of named) groups.set(groupOf(one), [...(groups.get(groupOf(one)) ?? []), one]);
  const chosen = [...groups].map(([name, all]) => [name, spread(all, Number(values.limit))] as const);
  const cases = chosen.flatMap(([, some]) => some);
  say(`${cases.length} cases: ${chosen.map(([name, some]) => `${name} ${some.length}`).join(", ")}`);
  const begun = Date.now();
  const { left, commands, intended, unused } = await compareBuilds(cases, {
    builds: [resolve(old), resolve(fresh)],
    intended: INTENDED,
    directory: scratch,
    jobs: Number(values.jobs),
    tell: (done, played, steps) => {
      if (values.trace) for (const line of trace(played, steps)) say(line);
      else if (done % 100 === 0) process.stderr.write(`${done} of ${cases.length} cases\n`);
    },
  });
  const where = new RegExp(values.where ?? "");
  const shown = left.filter((difference: Difference) => where.test(difference.where));
  for (const line of report(shown, values.where !== undefined)) say(line);
  const isWhole = values.only === "" && values.limit === "Infinity";
  for (const entry of isWhole ? unused : []) say(`intended, but seen nowhere: ${entry.because}`);
  const seconds = Math.round((Date.now() - begun) / 1000);
  const found = `${left.length} differences that are not intended, ${intended} that are`;
  say(`\n${commands} commands in ${seconds} s: ${found}`);
  return left.length === 0 ? 0 : 1;
}

/** The kind of a case: the first word of its name, and the directory of a file. */
function groupOf({ name }: Case): string {
  return /^(?:files\/)?[^/]*/.exec(name)![0];
}

/** At most this many, from the whole length of the list. */
function spread<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, at) => list[Math.floor((at * list.length) / most)]!);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
