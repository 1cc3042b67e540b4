import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRedactor } from "../../src/cli/line-secrets.ts";
import { type CommandLine, runCommand } from "./tables/run-check.ts";

interface GrowthPlace {
  readonly directory: string;
  readonly commandLine: CommandLine;
}

/** Linear growth multiplies the time by the step; quadratic growth by its square. */
const STEP = 4;
const MOST = STEP ** 1.5;

const numbered = (count: number, cell: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => cell(at));
const row = (lead: string, count: number, cell: (at: number) => string): string =>
  `${[lead, ...numbered(count, cell)].join(",")}\n`;
/** A name without digits, as headers have it. */
const lettersOf = (at: number): string =>
  `c${String(at).replaceAll(/\d/g, (digit) => "abcdefghij"[Number(digit)]!)}`;
const members = (line: number): string => numbered(20, (at) => `"m${line * 20 + at}":"x"`).join();

/**
 * Something of which a file may have much, the smallest number of it, and the file; the time must not grow faster than its
 * amount. The smallest takes a tenth of a second or more, so that a quadratic part shows.
 */
const FILES: readonly (readonly [what: string, size: number, name: string, (size: number) => string])[] = [
  // Four times as many columns and member names are just below the limit.
  [
    "columns",
    490,
    "wide.csv",
    (size) =>
      row("cle", size, lettersOf) +
      numbered(20, (line) => row(`K${line}`, size, (at) => `v${at * line}`)).join(""),
  ],
  ["numbers where a header should be", 8000, "ones.csv", (size) => row("1", size - 1, () => "1")],
  [
    "member names",
    490,
    "names.ndjson",
    (size) => numbered(size / 20, (line) => `{"cle":"K${line}",${members(line)}}\n`).join(""),
  ],
  ["empty lines", 500_000, "empty.csv", (size) => `cle,num_commande\nK1,1\n${"\n".repeat(size)}K2,2\n`],
  ["line ends in one cell", 100_000, "cell.csv", (size) => `cle,note\nK1,"${"a\n".repeat(size)}"\nK2,x\n`],
  [
    "mixed line ends",
    50_000,
    "mixed.csv",
    (size) =>
      `cle,num_commande\n${numbered(size, (at) => `K${at},1${["\n", "\r\n", "\r"][at % 3]}`).join("")}`,
  ],
];

/** Measures the time for growing numbers of columns, member names, line ends and secrets; false if one grows too fast. */
export async function judgeGrowth(
  tries: number,
  { directory, commandLine }: GrowthPlace,
  say: (line: string) => void,
): Promise<boolean> {
  if (tries === 0) return true;
  let isHeld = true;
  const grow = async (
    what: string,
    size: number,
    prepare: (size: number) => () => unknown,
  ): Promise<void> => {
    const small = await timeOf(prepare(size), tries);
    const large = await timeOf(prepare(size * STEP), tries);
    const isLinear = large / small <= MOST;
    isHeld &&= isLinear;
    const times = `${STEP} times as many take ${(large / small).toFixed(1)} times the time (${Math.round(large)} ms)`;
    say(`growth by ${what}: ${times}${isLinear ? "" : ` MORE THAN ${MOST}`}`);
  };
  for (const [what, size, name, content] of FILES)
    await grow(what, size, (count) => {
      const path = join(directory, name);
      writeFileSync(path, content(count));
      return async () => {
        // What nobody would guess of a table whose first megabytes are one cell.
        const told = name === "cell.csv" ? ["--delimiter", "comma", "--header-line", "1"] : [];
        const argv = ["check", path, "--other-columns", "send", ...told];
        const { code } = await runCommand(argv, directory, commandLine);
        // A command that is refused for another reason would take no time.
        if (code !== (name === "ones.csv" ? 3 : 0)) throw new Error(`${name} ends with ${code}`);
      };
    });
  await grow("secrets", 2000, (count) => redact(count, 20_000));
  await grow("text with secrets", 50_000, (count) => redact(50, count));
  return isHeld;
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

function redact(secrets: number, length: number): () => string {
  const hidden = numbered(secrets, (at) => `secret-${at}-aaaaaaaa`);
  const text = numbered(length / 20, (at) => `secret-${at}%2Daaaaaa `).join("");
  return () => createRedactor(() => hidden)(text);
}
