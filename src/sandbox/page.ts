import type { Answer } from "./reply.ts";
import type { SandboxRecord, StoreView, TableView } from "./store.ts";

const SHOWN_RECORDS = 50;
const LONGEST_VALUE = 200;

const STYLES = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
caption { text-align: left; padding: .25rem 0; }
th, td { border: 1px solid #808080; padding: .25rem .5rem; text-align: left; vertical-align: top; white-space: pre-wrap; overflow-wrap: anywhere; min-width: 3rem; }
`;

/** `GET /`: a page for people, without scripts and without anything loaded from elsewhere. */
export function page(store: StoreView): Answer {
  const tables = store.tables();
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>rec-push sandbox</title>
<style>${STYLES}</style>
</head>
<body>
<header><h1>rec-push sandbox</h1>
<p>A service for rehearsals. Nothing here is real; reload the page to see what has changed.</p></header>
<main>
${tables.length === 0 ? "<p>No table yet: push something.</p>" : tables.map(sectionOf).join("\n")}
</main>
</body>
</html>
`;
  const headers = {
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    "referrer-policy": "no-referrer",
  };
  return { kind: "answer", status: 200, contentType: "text/html; charset=utf-8", headers, body };
}

function sectionOf({ name, records }: TableView): string {
  const first = [...records.values()].slice(0, SHOWN_RECORDS);
  const columns = [...new Set(["cle", ...first.flatMap((fiche) => Object.keys(fiche))])];
  const head = columns.map((field) => `<th scope="col">${shown(field)}</th>`).join("");
  const lines = first.map((fiche) => {
    const [key = "", ...rest] = columns.map((field) => shown(valueOf(fiche, field)));
    return `<tr><th scope="row">${key}</th>${rest.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  const caption = `The first ${first.length} of ${records.size} fiches, in order of creation`;
  return `<h2>${shown(name)}</h2>
<p><a href="/api/items/${escapeHtml(encodeURIComponent(name))}/">All of them as JSON</a></p>
<div class="wide" role="region" aria-label="${shown(name)}" tabindex="0"><table><caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${lines.join("\n")}
</tbody></table></div>`;
}

function valueOf(fiche: SandboxRecord, field: string): string {
  // Without hasOwn, a field named like a built-in member of objects would show that member.
  return Object.hasOwn(fiche, field) ? (fiche[field] ?? "") : "";
}

function shown(text: string): string {
  return escapeHtml(text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text);
}

/** Makes any text harmless in HTML text and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
