import type { SandboxContext } from "./context.ts";
import type { Answer } from "./reply.ts";
import type { SandboxRecord, TableView } from "./store.ts";

const shownTables = 20;
const shownRecords = 50;
const shownColumns = 60;
const longestValue = 200;

/** `GET /`: a page for people, without scripts and without anything loaded from elsewhere. */
export function page(context: SandboxContext): Answer {
  const tables = context.store.tables();
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>rec-push sandbox</title>
<style>${styles}</style>
</head>
<body>
<header><h1>rec-push sandbox</h1>
<p>A service for rehearsals. Nothing here is real; reload the page to see what has changed.</p></header>
<main>
<h2>Tables</h2>
${tables.length === 0 ? "<p>No table yet: push something.</p>" : tableOfTables(tables)}
${tables.slice(0, shownTables).map(sectionOf).join("\n")}
<h2>Last requests</h2>
${requestsTable(context)}
<h2>Faults</h2>
${faultsTable(context)}
</main>
</body>
</html>
`;
  const headers = {
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    "referrer-policy": "no-referrer",
  };
  return {
    kind: "answer",
    status: 200,
    contentType: "text/html; charset=utf-8",
    headers,
    body,
    slowBodyMs: 0,
  };
}

const styles = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
caption { text-align: left; padding: .25rem 0; }
th, td { border: 1px solid #808080; padding: .25rem .5rem; text-align: left; vertical-align: top; white-space: pre-wrap; overflow-wrap: anywhere; min-width: 3rem; }
`;

function tableOfTables(tables: readonly TableView[]): string {
  const rows = tables
    .slice(0, shownTables)
    .map(({ name, records }, index) => [
      `<a href="#table-${index + 1}">${escapeHtml(name)}</a>`,
      records.size.toLocaleString("en"),
      `<a href="/api/items/${escapeHtml(encodeURIComponent(name))}/">JSON</a>`,
    ]);
  const more = tables.length > shownTables ? `<p>And ${tables.length - shownTables} more.</p>` : "";
  return (
    htmlTable("The tables and how many fiches each holds", ["Table", "Fiches", "All of them"], rows) + more
  );
}

function sectionOf({ name, records }: TableView, index: number): string {
  const first = firstOf(records.values(), shownRecords);
  const columns = new Set(["cle"]);
  for (const fiche of first) for (const field of Object.keys(fiche)) columns.add(field);
  const shown = [...columns].slice(0, shownColumns);
  const rows = first.map((fiche) => shown.map((field) => escapeHtml(shorten(valueOf(fiche, field)))));
  const caption = `The first ${first.length.toLocaleString("en")} of ${records.size.toLocaleString("en")} fiches, in order of creation`;
  const hidden =
    columns.size > shown.length ? `<p>${columns.size - shown.length} more fields are not shown.</p>` : "";
  const heading = `<h3 id="table-${index + 1}">${escapeHtml(name)}</h3>`;
  return `${heading}\n${htmlTable(caption, shown.map(shorten).map(escapeHtml), rows)}${hidden}`;
}

function requestsTable(context: SandboxContext): string {
  const last = context.log.last().toReversed();
  if (last.length === 0) return "<p>None yet.</p>";
  const rows = last.map((one) =>
    [one.time, one.table, one.records, one.applied, one.status, one.note].map((cell) =>
      escapeHtml(shorten(String(cell))),
    ),
  );
  return htmlTable("The latest first", ["Time (UTC)", "Table", "Records", "Applied", "Status", "Note"], rows);
}

function faultsTable(context: SandboxContext): string {
  const active = context.faults.active();
  if (active.length === 0) return "<p>None: the service behaves.</p>";
  const rows = active.map(({ text, struck }) => [escapeHtml(shorten(text)), String(struck)]);
  return htmlTable("The rules in force and how often each has struck", ["Rule", "Struck"], rows);
}

/** Headers and cells must be HTML already; the first cell of a row is its header. */
function htmlTable(
  caption: string,
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const head = headers.map((header) => `<th scope="col">${header}</th>`).join("");
  const lines = rows.map(([first = "", ...rest]) => {
    return `<tr><th scope="row">${first}</th>${rest.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  const table = `<table><caption>${escapeHtml(caption)}</caption>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${lines.join("\n")}\n</tbody></table>`;
  return `<div class="wide" role="region" aria-label="${escapeHtml(caption)}" tabindex="0">${table}</div>`;
}

function firstOf(fiches: Iterable<SandboxRecord>, count: number): readonly SandboxRecord[] {
  const first: SandboxRecord[] = [];
  for (const fiche of fiches) {
    if (first.length === count) break;
    first.push(fiche);
  }
  return first;
}

function valueOf(fiche: SandboxRecord, field: string): string {
  // Without hasOwn, a field named like a built-in member of objects would show that member.
  return Object.hasOwn(fiche, field) ? (fiche[field] ?? "") : "";
}

function shorten(text: string): string {
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

/** Makes any text harmless in HTML text and quoted attributes. */
export function escapeHtml(text: string): string {
  const named: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => named[character] as string);
}
