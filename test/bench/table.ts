import type { PeerResult, ScenarioResult } from "./result.ts";

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
  const rows = [
    columns.map(([title]) => title),
    ...peers.map((peer) => columns.map(([, cell]) => cell(peer) ?? "")),
  ];
  const widths = columns.map((_, index) => Math.max(3, ...rows.map((row) => row[index]?.length ?? 0)));
  const lines = rows.map(
    (row) => `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`,
  );
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  const held = targets.map(
    ({ target, measured, isMet }) => `- ${isMet ? "met" : "MISSED"}: ${target}: ${measured.toFixed(2)}`,
  );
  return [`${name}: ${title}`, "", ...lines, "", ...held, ...notes.map((note) => `- ${note}`), ""].join("\n");
}

function toPercent(share: number | undefined): string | undefined {
  return share === undefined ? undefined : `${(share * 100).toFixed(1)} %`;
}
