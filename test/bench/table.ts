import { isMet, type PeerResult, type ScenarioResult, type TargetResult, type Unit } from "./result.ts";

const COLUMNS: readonly (readonly [title: string, cell: (peer: PeerResult) => string | undefined])[] = [
  ["who", ({ who }) => who],
  ["s", ({ seconds }) => seconds.toFixed(seconds < 1 ? 3 : 1)],
  ["ratio", ({ ratio }) => ratio?.toFixed(2)],
  ["CPU s", ({ cpuSeconds }) => cpuSeconds?.toFixed(1)],
  ["peak MB", ({ peakMb }) => peakMb?.toFixed(0)],
  ["limit used", ({ limitUsed }) => toPercent(limitUsed)],
  ["refused", ({ refused }) => toPercent(refused)],
];

/** A scenario as Markdown: a table, the targets, notes. */
export function showScenario({ name, title, peers, targets, notes }: ScenarioResult): string {
  const columns = COLUMNS.filter(([, cell]) => peers.some((peer) => cell(peer) !== undefined));
  const table = showTable([
    columns.map(([title]) => title),
    ...peers.map((peer) => columns.map(([, cell]) => cell(peer) ?? "")),
  ]);
  const about = notes.map((note) => `- ${note}`);
  return [`${name}: ${title}`, "", table, "", showTargets(targets), "", ...about, ""].join("\n");
}

/** Targets as a Markdown table that shows which of them hold. */
export function showTargets(targets: readonly TargetResult[]): string {
  const hasCpu = targets.some(({ byCpu }) => byCpu !== undefined);
  const cpu = (cell: string): string[] => (hasCpu ? [cell] : []);
  return showTable([
    ["work", "measured", ...cpu("by CPU time"), "target", "holds"],
    ...targets.map((target) => {
      const { work, measured, byCpu, limit, side, unit } = target;
      const holds = { true: "yes", false: "NO", undefined: "not measured" }[`${isMet(target)}`];
      return [
        work,
        showFigure(measured, unit),
        ...cpu(showFigure(byCpu, unit)),
        `${side} ${showFigure(limit, unit)}`,
        holds ?? "",
      ];
    }),
  ]);
}

/** The number of rows that the targets are set for. */
const TARGET_ROWS = 1_000_000;

/** A remark if fewer rows were pushed: start-up and V8's compiler then weigh more, and the ratios are lower. */
export function describeSize(rows: number): string {
  if (rows >= TARGET_ROWS) return "";
  const [few, many] = [rows, TARGET_ROWS].map((count) => count.toLocaleString("en"));
  return `\nThe targets are set for ${many} rows. With ${few} start-up weighs more and the ratios are lower: --rows ${TARGET_ROWS} decides.\n`;
}

function showFigure(value: number | undefined, unit: Unit): string {
  if (value === undefined) return "";
  if (unit === "%") return `${(value * 100).toFixed(1)} %`;
  return unit === "x" ? `${value.toFixed(2)} x` : `${value.toFixed(0)} ${unit}`;
}

/** The first row is the header. */
function showTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) =>
    Math.max(3, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const lines = rows.map(
    (row) => `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`,
  );
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return lines.join("\n");
}

function toPercent(share: number | undefined): string | undefined {
  return share === undefined ? undefined : `${(share * 100).toFixed(1)} %`;
}
