import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const FOLDERS = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin"];

/** A Chromium on this machine: `CHROMIUM`, else one on the path; `undefined` if there is none. */
export const CHROMIUM =
  process.env["CHROMIUM"] ??
  NAMES.flatMap((name) => FOLDERS.map((folder) => join(folder, name))).find((path) => existsSync(path));

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars --disable-background-networking --disable-component-update --disable-sync".split(
    " ",
  );

export type Theme = "light" | "dark";

/** How Chromium lays out a page, and what it draws of it. */
export interface Layout {
  readonly page: string;
  readonly clientWidth: number;
  /** More than `clientWidth` if something is wider than the page. */
  readonly scrollWidth: number;
  /** Tables and drawings that have to be scrolled. */
  readonly scrolled: readonly string[];
  /** Words in cells that are broken over two lines. */
  readonly broken: readonly string[];
  readonly background: string;
  readonly smallestText: number;
  /** The contrast of the text that is hardest to read. */
  readonly contrast: { readonly ratio: number; readonly text: string };
}

const NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND";

/** Runs in the page: measures it. */
const MEASURE = `
const luminance = (color) => {
  const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const backOf = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (!/, 0\\)$/.test(color)) return color;
  }
  return "rgb(255, 255, 255)";
};
addEventListener("load", () => {
  const root = document.documentElement;
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (node.data.trim() === "" || parent.closest("title") || !parent.checkVisibility()) continue;
    const style = getComputedStyle(parent);
    const isDrawn = parent.closest("svg") !== null;
    const [one, other] = [luminance(isDrawn ? style.fill : style.color), luminance(backOf(parent))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    texts.push({ text: node.data.trim().slice(0, 40), size: parseFloat(style.fontSize), ratio });
  }
  const broken = [...document.querySelectorAll("td .cell")].filter((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return !/\\s/.test(cell.textContent) && cell.textContent.length <= 12 && range.getClientRects().length > 1;
  });
  const result = {
    page: PAGE,
    clientWidth: root.clientWidth,
    scrollWidth: root.scrollWidth,
    scrolled: [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.textContent.slice(0, 40)),
    broken: broken.map((cell) => cell.textContent),
    background: getComputedStyle(document.body).backgroundColor,
    smallestText: Math.min(...texts.map(({ size }) => size)),
    contrast: texts.reduce((worst, one) => (one.ratio < worst.ratio ? one : worst)),
  };
  parent.postMessage(result, "*");
});
`;

/** The page's DOM after Chromium has parsed it. */
export function dumpPage(page: string): Promise<string> {
  return chromium(page, ["--dump-dom"]);
}

/** A screenshot of the page; `flags` are passed to Chromium. */
export async function takePicture(page: string, flags: readonly string[] = []): Promise<Buffer> {
  const path = `${page}.png`;
  await chromium(page, [...flags, "--window-size=800,1000", `--screenshot=${path}`]);
  return readFile(path);
}

export const WITHOUT_SCRIPTS = ["--blink-settings=scriptEnabled=false"];

/**
 * Lays out copies of pages that measure themselves, in frames of several widths, because a window cannot be as narrow as a
 * phone.
 */
export async function measurePages(
  pages: readonly string[],
  widths: readonly number[],
  theme: Theme,
): Promise<readonly Layout[]> {
  const frames: string[] = [];
  for (const page of pages) {
    const source = await readFile(page, "utf8");
    // The page itself allows no script, so its copy is made to.
    const open = source.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "");
    const copy = `${page}.copy.html`;
    const script = `<script>const PAGE = ${JSON.stringify(page)};${MEASURE}</script>`;
    await writeFile(copy, open.replace("</head>", `${script}</head>`));
    const { href } = pathToFileURL(copy);
    frames.push(...widths.map((width) => `<iframe src="${href}" width="${width}" height="900"></iframe>`));
  }
  const folder = await mkdtemp(join(tmpdir(), "rec-push-frames-"));
  const all = join(folder, "frames.html");
  const gather =
    "const all = []; addEventListener('message', ({ data }) => { all.push(data); document.documentElement.setAttribute('data-measured', btoa(encodeURIComponent(JSON.stringify(all)))); });";
  await writeFile(
    all,
    `<!doctype html><style>iframe { border: 0 }</style><script>${gather}</script>${frames.join("\n")}`,
  );
  try {
    // 0 is dark, 1 is light.
    const preferred = `--blink-settings=preferredColorScheme=${theme === "dark" ? 0 : 1}`;
    const dom = await chromium(all, [preferred, "--virtual-time-budget=5000", "--dump-dom"]);
    const [, measured] = /data-measured="([^"]*)"/.exec(dom) ?? [];
    if (measured === undefined) throw new Error(`no page measured itself: ${dom.slice(0, 400)}`);
    return JSON.parse(decodeURIComponent(Buffer.from(measured, "base64").toString())) as Layout[];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function chromium(page: string, flags: readonly string[]): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), "rec-push-chromium-"));
  try {
    const argv = [...FLAGS, NO_NETWORK, `--user-data-dir=${profile}`, ...flags, pathToFileURL(page).href];
    const { stdout, status, stderr } = spawnSync(CHROMIUM!, argv, { encoding: "utf8", maxBuffer: 1 << 26 });
    if (status !== 0) throw new Error(`Chromium ended with ${String(status)}: ${stderr.slice(-400)}`);
    return stdout;
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}
