/** The appearance of the page: light or dark as the reader has set it, light on paper. It refers to no other file. */
export const STYLE = `
:root { color-scheme: light dark; --back: #fff; --front: #1a1d21; --soft: #57606a; --rule: #d0d7de; --raised: #f6f8fa;
  --good: #1a7f37; --bad: #b42318; --warn: #7d4e00; --first: #0b5cad; --second: #b35900; }
@media (prefers-color-scheme: dark) { :root { --back: #14171a; --front: #e6e8ea; --soft: #9aa4ae; --rule: #363c43;
  --raised: #1d2126; --good: #56d364; --bad: #ff8a80; --warn: #e3b341; --first: #6cb6ff; --second: #ffa657; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 60rem; background: var(--back); color: var(--front);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; overflow-wrap: anywhere; }
p, ol, ul { margin: .35rem 0; }
code, .cell { font-family: ui-monospace, monospace; font-size: .92em; overflow-wrap: anywhere; white-space: pre-wrap; }
.soft { color: var(--soft); }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.state { font-size: 1.1rem; font-weight: 600; }
.box { border: 1px solid var(--rule); border-left: 4px solid var(--bad); border-radius: 4px; background: var(--raised);
  padding: .5rem .75rem; margin: .5rem 0; overflow-wrap: anywhere; }
.totals { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; list-style: none; }
.totals li { border: 1px solid var(--rule); border-radius: 6px; padding: .35rem .8rem; min-width: 6.5rem; }
.totals b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .93em; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--rule);
  overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 11px; font-family: system-ui, sans-serif; }
.grid { stroke: var(--rule); stroke-width: 1; }
.line { fill: none; stroke-width: 1.5; }
.line-1 { stroke: var(--first); } .line-2 { stroke: var(--second); stroke-dasharray: 4 2; }
.line-1.filled { fill: var(--first); fill-opacity: .25; }
.key::before { content: ""; display: inline-block; width: 1.4em; margin-right: .4em; vertical-align: middle;
  border-top: 2px solid var(--first); }
.key.two::before { border-top: 2px dashed var(--second); }
footer { margin-top: 2.5rem; color: var(--soft); font-size: .87em; }
@media print { :root { color-scheme: light; --back: #fff; --front: #000; --soft: #444; --rule: #bbb; --raised: #fff;
  --good: #1a7f37; --bad: #b42318; --warn: #7d4e00; --first: #0b5cad; --second: #b35900; }
  body { max-width: none; padding: 0; font-size: 10.5pt; } .scroll { overflow: visible; } details > * { display: block; }
  h2, h3 { break-after: avoid; } tr, .box, svg, .totals li { break-inside: avoid; } }
`;
