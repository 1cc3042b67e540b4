import type { Difference } from "./compare.ts";
import { codesOf, type Step } from "./observation.ts";
import type { Case } from "./world.ts";

/** What is worst comes first. */
const ORDER = ["received", "held", "exit", "end", "file", "event", "command", "stdout", "stderr"];
const EXAMPLES = 3;
const WIDTH = 240;

/** Differences as text: those of one kind together, with how many there are; with `isWhole` each one. */
export function report(differences: readonly Difference[], isWhole: boolean): string[] {
  const groups = new Map<string, Difference[]>();
  for (const difference of differences) {
    const kind = kindOf(difference);
    const group = groups.get(kind);
    if (group === undefined) groups.set(kind, [difference]);
    else group.push(difference);
  }
  const rank = ({ where }: Difference): number => ORDER.findIndex((name) => where.startsWith(name));
  const sorted = [...groups.values()].sort(
    ([a], [b]) => rank(a!) - rank(b!) || (a!.where < b!.where ? -1 : 1),
  );
  return sorted.flatMap((group) => reportGroup(group, isWhole));
}

function reportGroup(group: readonly Difference[], isWhole: boolean): string[] {
  const shown = isWhole ? group : group.slice(0, EXAMPLES);
  const cases = new Set(group.map((difference) => difference.case)).size;
  const { where } = group[0]!;
  const lines = ["", `${where}: ${group.length} in ${cases} ${cases === 1 ? "case" : "cases"}`];
  for (const difference of shown) lines.push(...describe(difference, isWhole));
  const rest = group.length - shown.length;
  if (rest > 0) lines.push(`  and ${rest} more (--where ${where} prints each)`);
  return lines;
}

/** What happened in a case, a line for each command. */
export function trace({ name }: Case, steps: readonly Step[]): string[] {
  const lines = steps.map((step) => {
    const records = step.received.flatMap(({ records, isApplied }) => records.map(() => isApplied));
    const applied = records.filter(Boolean).length;
    const sent = records.length === 0 ? "" : `, ${applied} of ${records.length} records applied`;
    return `  exit ${step.exit} ${codesOf(step)}${sent}: ${step.command} -> ${[...step.files.keys()].join(" ")}`;
  });
  return [name, ...lines];
}

function describe(
  { case: name, step, command, old, new: is, codes }: Difference,
  isWhole: boolean,
): string[] {
  const show = (text: string | undefined): string => {
    if (text === undefined) return "(nothing)";
    const line = JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(String.raw`\"`, '"');
    const [was, now] = [old ?? "", is ?? ""];
    // Long texts are shown from a little before the place where they part.
    let at = 0;
    while (!isWhole && at < Math.min(was.length, now.length) && was[at] === now[at]) at++;
    const from = line.length > WIDTH ? Math.max(0, at - 80) : 0;
    const part = isWhole ? line : line.slice(from, from + WIDTH);
    return `${from > 0 ? "..." : ""}${part}${from + part.length < line.length ? "..." : ""}`;
  };
  const codeOf = (code: string): string => (code === "" ? "" : `   [${code}]`);
  return [
    `  ${name} step ${step}: ${command.length > WIDTH && !isWhole ? `${command.slice(0, WIDTH)}...` : command}`,
    `    old ${show(old)}${codeOf(codes[0])}`,
    `    new ${show(is)}${codeOf(codes[1])}`,
  ];
}

/** Two differences are of one kind if they are at one place and part there alike. */
function kindOf({ where, old, new: is, codes }: Difference): string {
  if (where.startsWith("received") || where === "held")
    return [where.split(".")[0], old === undefined, is === undefined, ...codes].join("\n");
  return [where, shape(old), shape(is), where === "exit" ? codes.join("\n") : ""].join("\n");
}

/** The sentence of a text, without the values of the case. */
function shape(text: string | undefined): string {
  if (text === undefined) return "(nothing)";
  return text
    .slice(0, 400)
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '"..."')
    .replaceAll(/[\w./-]*\d[\w./-]*/g, "N")
    .slice(0, 80);
}
