// Draws a terminal as SVG, light or dark as its reader has it. Standard input is a real screen:
//   tmux capture-pane -e -p | node test/tools/draw-screen.mjs 84 > fixtures/screen/push.svg
import { readFileSync } from "node:fs";

const COLUMNS = Number(process.argv[2] ?? 80);
const CELL = { width: 8.4, height: 19 };
const EDGE = 16;
const COLOURS = { 31: "red", 32: "green", 33: "yellow", 36: "cyan" };

/** The beginning of each colour sequence. */
const ESCAPE = `${String.fromCodePoint(27)}[`;

const lines = readFileSync(0, "utf8").trimEnd().split("\n");
const width = Math.ceil(COLUMNS * CELL.width + 2 * EDGE);
const height = lines.length * CELL.height + 2 * EDGE;

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

let colour = "";
/** Splits a line into stretches of one colour; a colour applies until the next one, also across line ends. */
function stretchesOf(line) {
  const stretches = [];
  let column = 0;
  for (const [at, piece] of line.split(ESCAPE).entries()) {
    const code = at === 0 ? "" : piece.slice(0, piece.indexOf("m"));
    for (const part of code.split(";")) if (part !== "" && part !== "1") colour = COLOURS[part] ?? "";
    const text = at === 0 ? piece : piece.slice(code.length + 1);
    if (text !== "") stretches.push({ column, text, colour });
    column += Array.from(text).length;
  }
  return stretches;
}

const texts = lines.map((line, at) => {
  const y = EDGE + (at + 0.75) * CELL.height;
  const spans = stretchesOf(line).map(({ column, text, colour }) => {
    const x = (EDGE + column * CELL.width).toFixed(1);
    const length = (Array.from(text).length * CELL.width).toFixed(1);
    return `<tspan x="${x}" textLength="${length}"${colour === "" ? "" : ` class="${colour}"`}>${escape(text)}</tspan>`;
  });
  return `<text y="${y.toFixed(1)}" xml:space="preserve">${spans.join("")}</text>`;
});

process.stdout
  .write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>rec-push in a terminal of ${COLUMNS} columns</title>
<style>
rect { fill: #f6f8fa; stroke: #d0d7de; }
text { fill: #1a1d21; font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.red { fill: #b42318; } .green { fill: #1a7f37; } .yellow { fill: #7d4e00; } .cyan { fill: #0b6e86; }
@media (prefers-color-scheme: dark) {
  rect { fill: #14171a; stroke: #363c43; } text { fill: #e6e8ea; }
  .red { fill: #ff8a80; } .green { fill: #56d364; } .yellow { fill: #e3b341; } .cyan { fill: #76d6e6; }
}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" />
${texts.join("\n")}
</svg>
`);
