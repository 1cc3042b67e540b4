/** The appearance of the page: light or dark as the reader has set it, light on paper. It refers to no other file. */
export const STYLE = `
:root { color-scheme: light dark; --back: #f6f8fa; --sheet: #fff; --front: #1a1d21; --soft: #57606a; --rule: #d8dee4;
  --raised: #f3f5f7; --good: #1a7f37; --bad: #b42318; --warn: #7d4e00; --chart: #0b5cad; --none: #8c959f; }
@media (prefers-color-scheme: dark) { :root { --back: #0f1214; --sheet: #171b1f; --front: #e6e8ea; --soft: #9aa4ae;
  --rule: #30363c; --raised: #21262b; --good: #56d364; --bad: #ff8a80; --warn: #e3b341; --chart: #6cb6ff;
  --none: #768390; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 68rem; background: var(--back); color: var(--front);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 0 0 .75rem; }
p, ol, ul, dl, pre { margin: .35rem 0; }
header > p { margin: 0; }
h1, p, li, dd, .box, .hint, .lines { overflow-wrap: anywhere; }
code, pre, .lines, .hint { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; }
code { overflow-wrap: anywhere; }
pre { padding: .55rem .75rem; border: 1px solid var(--rule); border-radius: 6px; background: var(--raised);
  white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
pre code { font-size: 1em; }
.soft { color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 2rem; }
.facts div { min-width: 0; }
dt { color: var(--soft); font-size: .85em; } dd { margin: 0; }
.state { --tone: var(--bad); margin: 1.25rem 0; padding: .9rem 1.1rem; border: 1px solid var(--rule);
  border-left: 6px solid var(--tone); border-radius: 8px; background: var(--sheet); }
.state.good { --tone: var(--good); } .state.warn { --tone: var(--warn); }
.headline { margin: 0; color: var(--tone); font-size: 1.3rem; line-height: 1.3; font-weight: 650; }
section { margin: 1.25rem 0; padding: 1.1rem 1.25rem; border: 1px solid var(--rule); border-radius: 8px;
  background: var(--sheet); }
.next li + li { margin-top: .75rem; } ol, ul { padding-left: 1.4rem; }
.box { margin: .75rem 0; padding: .7rem 1rem; border: 1px solid var(--rule); border-left: 4px solid var(--bad);
  border-radius: 8px; background: var(--sheet); white-space: pre-wrap; }
.note { padding-left: .7rem; border-left: 3px solid var(--warn); }
.is-accepted { --tone: var(--good); } .is-refused, .is-rejected, .is-failed { --tone: var(--bad); }
.is-inDoubt { --tone: var(--warn); } .is-notSent, .is-skipped { --tone: var(--none); }
.totals { display: flex; flex-wrap: wrap; gap: .4rem 2rem; padding: 0; list-style: none; }
.totals b { display: block; color: var(--tone, inherit); font-size: 1.6rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.chart { display: block; width: 100%; height: 8rem; border-bottom: 1px solid var(--rule); } .chart path { fill: var(--chart); }
.lines > div + div { margin-top: .35rem; } .lines, .hint { white-space: pre-wrap; }
.axis { display: flex; justify-content: space-between; margin: .1rem 0 .5rem; font-size: .85em; }
footer { margin-top: 2rem; color: var(--soft); font-size: .87em; }
@media screen and (max-width: 44rem) {
  body { padding: 1rem .75rem 2rem; } section { padding: .9rem .9rem; } .totals { gap: .4rem 1.25rem; } }
@media print { :root { color-scheme: light; --back: #fff; --sheet: #fff; --front: #000; --soft: #444; --rule: #bbb;
  --raised: #fff; --good: #1a7f37; --bad: #b42318; --warn: #7d4e00; --chart: #0b5cad; --none: #666; }
  body { max-width: none; padding: 0; font-size: 10.5pt; } section { padding: 0; border: 0; } .state { print-color-adjust: exact; }
  h2 { break-after: avoid; } .box, .state, pre, svg, .totals li { break-inside: avoid; } }
`;
