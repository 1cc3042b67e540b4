import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRedactor } from "../../src/cli/line-secrets.ts";
import { type CommandLine, runCommand } from "./tables/run-check.ts";

/** Something of which an input may have much; the time must not grow faster than its amount. */
interface Growth {
  readonly what: string;
  /** The smallest size. It takes a tenth of a second or more, so that a quadratic part shows. */
  readonly size: number;
  /** Prepares the work for an input of this size. */
  readonly prepare: (size: number, place: GrowthPlace) => () => unknown;
}

interface GrowthPlace {
  readonly directory: string;
  readonly commandLine: CommandLine;
}

/** Linear growth multiplies the time by the step; quadratic growth by its square. */
const STEP = 4;
const MOST = STEP ** 1.5;

const GROWTHS: readonly Growth[] = [
  {
    what: "columns",
    // Four times this many are just below the limit.
    size: 490,
    prepare: (size, place) => check("wide.csv", columns(size), place),
  },
  {
    what: "numbers where a header should be",
    size: 8000,
    prepare: (size, place) => check("ones.csv", `${Array(size).fill("1").join(",")}\n`, place, 3),
  },
  {
    what: "member names",
    // Four times this many are just below the limit.
    size: 490,
    prepare: (size, place) => check("names.ndjson", memberNames(size), place),
  },
  {
    what: "empty lines",
    size: 500_000,
    prepare: (size, place) => check("empty.csv", emptyLines(size), place),
  },
  {
    what: "line ends in one cell",
    size: 100_000,
    prepare: (size, place) => check("cell.csv", cellLines(size), place),
  },
  {
    what: "mixed line ends",
    size: 50_000,
    prepare: (size, place) => check("mixed.csv", mixedLines(size), place),
  },
  { what: "secrets", size: 2000, prepare: (size) => redact(size, 20_000) },
  { what: "text with secrets", size: 50_000, prepare: (size) => redact(50, size) },
];

/** Measures the time for growing numbers of columns, member names, line ends and secrets; false if one grows too fast. */
export function judgeGrowth(
  tries: number,
  place: GrowthPlace,
  say: (line: string) => void,
): Promise<boolean> {
  if (tries === 0) return Promise.resolve(true);
  return GROWTHS.reduce(async (before, growth) => {
    const isHeld = await before;
    const [small, large] = [
      await timeOf(growth.prepare(growth.size, place), tries),
      await timeOf(growth.prepare(growth.size * STEP, place), tries),
    ];
    const times = large / small;
    const isLinear = times <= MOST;
    const mark = isLinear ? "" : ` MORE THAN ${MOST}`;
    say(
      `growth by ${growth.what}: ${STEP} times as many take ${times.toFixed(1)} times the time (${Math.round(large)} ms)${mark}`,
    );
    return isHeld && isLinear;
  }, Promise.resolve(true));
}

/** The shortest of some tries, in milliseconds of CPU, because others use this machine too. */
async function timeOf(work: () => unknown, tries: number): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

function check(
  name: string,
  content: string,
  { directory, commandLine }: GrowthPlace,
  end = 0,
): () => Promise<unknown> {
  const path = join(directory, name);
  writeFileSync(path, content);
  return async () => {
    const { code } = await runCommand(["check", path, "--other-columns", "send"], directory, commandLine);
    // A command that is refused would take no time.
    if (code !== end) throw new Error(`${name} ends with ${code}`);
  };
}

function numbered(count: number, cell: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => cell(at));
}

function columns(count: number): string {
  const row = (lead: string, cell: (at: number) => string): string =>
    `${[lead, ...numbered(count, cell)].join(",")}\n`;
  return (
    row("cle", (at) => `c${at}`) + numbered(20, (line) => row(`K${line}`, (at) => `v${at * line}`)).join("")
  );
}

function memberNames(count: number): string {
  const members = (line: number): string => numbered(20, (at) => `"m${line * 20 + at}":"x"`).join();
  return numbered(count / 20, (line) => `{"cle":"K${line}",${members(line)}}\n`).join("");
}

function emptyLines(count: number): string {
  return `cle,num_commande\nK1,1\n${"\n".repeat(count)}K2,2\n`;
}

function cellLines(count: number): string {
  return `cle,note\nK1,"${"a\n".repeat(count)}"\nK2,x\n`;
}

function mixedLines(count: number): string {
  return `cle,num_commande\n${numbered(count, (at) => `K${at},1${["\n", "\r\n", "\r"][at % 3]}`).join("")}`;
}

function redact(secrets: number, length: number): () => string {
  const hidden = numbered(secrets, (at) => `secret-${at}-aaaaaaaa`);
  const text = numbered(length / 20, (at) => `secret-${at}%2Daaaaaa `).join("");
  return () => createRedactor(hidden)(text);
}
