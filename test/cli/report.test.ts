import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { atNight } from "../support/draws.ts";
import { openWorld } from "../support/open-world.ts";
import { expectEnd } from "../support/scenario.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const ROWS = "cle,num_commande,date_billed\nA1,1,13/07/2016\nA2,2,14/07/2016\n";

async function readReport(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
}

describe("--report", () => {
  it("describes a push on one page and as data, readable by its user only", async () => {
    const { push } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    const page = join(await makeDirectory(), "run.html");
    const data = join(dirname(page), "run.json");
    expect((await push([file, "--report", page])).code).toBe(0);
    expect((await push([file, "--again", "--report", data])).code).toBe(0);
    const text = await readFile(page, "utf8");
    expect(text).toContain('<p class="headline">2 rows read: 2 accepted</p>');
    expect(text).toContain("200 Update Items OK.");
    expect(text).toContain("line 2 &quot;13/07/2016&quot;");
    expect(await readReport(data)).toMatchObject({
      schema: 1,
      state: "ended",
      summary: { read: 2, accepted: 2, exitCode: 0 },
      files: [{ rows: 2, columns: [{}, {}, { format: "DD/MM/YYYY", settledBy: 'line 2 "13/07/2016"' }] }],
    });
    expect((await stat(page)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(page))).toEqual(["run.html", "run.json"]);
  });

  it.each([
    ["invalid rows", "cle,num_commande\nA1,x\nA2,y\nA3,3\n", [], 3, "1 of 3"],
    ["a question", "cle,date_billed\nA1,05/07/2016\n", [], 3, "is 5 July 2016 or 7 May 2016"],
    [
      "rejected rows",
      "cle,num_commande\nA1,x\nA2,y\nA3,3\n",
      ["--on-invalid", "skip"],
      4,
      "more than digits",
    ],
    ["a wrong option", ROWS, ["--batch-size", "none"], 2, "--batch-size"],
  ])("tells %s", async (_, content, argv, exitCode, words) => {
    const { push } = await openWorld();
    const file = await makeFile("orders.csv", content);
    const [page, data] = [`${file}.html`, `${file}.json`];
    for (const path of [page, data])
      expect((await push([file, "--report", path, ...argv])).code).toBe(exitCode);
    expect(await readReport(data)).toMatchObject({ state: "ended", summary: { exitCode } });
    expect(await readFile(page, "utf8")).toContain(`Exit ${exitCode}, after`);
    expect(await readFile(page, "utf8")).toContain(words.replace("1 of 3", "2 of 3 rows are invalid"));
  });

  it("describes the outcomes of a resumed run", async () => {
    const { push, command } = await openWorld(["status=401,skip=1,times=1"]);
    const file = await makeFile("orders.csv", ROWS);
    const report = `${file}.json`;
    const slow = ["--batch-size", "1", "--concurrency", "1"];
    expect((await push([file, "--report", report, ...slow])).code).toBe(5);
    expect(await readReport(report)).toMatchObject({ summary: { accepted: 1, notSent: 1 } });
    expect((await command(["resume", "--report", report])).code).toBe(0);
    expect(await readReport(report)).toMatchObject({ summary: { accepted: 2 } });
  });

  it("describes a check", async () => {
    const { command } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    expect((await command(["check", file, "--report", `${file}.html`])).code).toBe(0);
    expect(await readFile(`${file}.html`, "utf8")).toContain("2 rows read: 2 ready to send");
  });

  it.each(["html", "json"])("leaves any other .%s file alone, and sends nothing", async (ending) => {
    const { push, sandbox } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    const there = `${file}.${ending}`;
    await writeFile(there, "mine");
    const { code, stderr } = await push([file, "--report", there]);
    expect([code, await readFile(there, "utf8")]).toEqual([2, "mine"]);
    expect(stderr).toContain("rec-push did not write what is there");
    expect(sandbox.store.snapshot("commandes")).toEqual([]);
  });

  it.each([
    ["a directory that is not there", () => "/no/such/directory/run.html", "is not a directory"],
    ["another ending", (file: string) => `${file}.pdf`, "expected a name that ends in .html or .json"],
    ["standard output", () => "-", "expected a name that ends in .html or .json"],
  ])("refuses %s before anything is sent", async (_, place, words) => {
    const { push, sandbox } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    await expectEnd(push([file, "--report", place(file)]), 2, words);
    expect(sandbox.store.snapshot("commandes")).toEqual([]);
  });

  it("refuses a link", async () => {
    const { push, sandbox } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    const link = `${file}.html`;
    await symlink(file, link);
    expect((await push([file, "--report", link])).stderr).toContain("it is not a regular file");
    expect(sandbox.store.snapshot("commandes")).toEqual([]);
  });
});

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const FOLDERS = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin"];

/** A Chromium on this machine: `CHROMIUM`, else one on the path; `undefined` if there is none. */
const CHROMIUM =
  process.env["CHROMIUM"] ??
  NAMES.flatMap((name) => FOLDERS.map((folder) => join(folder, name))).find((path) => existsSync(path));

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars --disable-background-networking --disable-component-update --disable-sync".split(
    " ",
  );

type Theme = "light" | "dark";

/** How Chromium lays out a page, and what it draws of it. */
interface Layout {
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
function dumpPage(page: string): Promise<string> {
  return chromium(page, ["--dump-dom"]);
}

/** A screenshot of the page; `flags` are passed to Chromium. */
async function takePicture(page: string, flags: readonly string[] = []): Promise<Buffer> {
  const path = `${page}.png`;
  await chromium(page, [...flags, "--window-size=800,1000", `--screenshot=${path}`]);
  return readFile(path);
}

const WITHOUT_SCRIPTS = ["--blink-settings=scriptEnabled=false"];

/**
 * Lays out copies of pages that measure themselves, in frames of several widths, because a window cannot be as narrow as a
 * phone.
 */
async function measurePages(
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

/** Rows of all kinds: invalid, refused, accepted, some with long values and names. */
function orders(): string {
  const rows = Array.from({ length: 600 }, (_, at) => {
    const date = at % 97 === 5 ? "31/06/2016" : "13/07/2016";
    const number = at % 150 === 7 ? "5.51037E+05" : String(551_000 + at);
    const note = at === 0 ? "x".repeat(300) : at === 1 ? "<b>not bold</b> & so on" : `note ${at}`;
    return `F${at};${number};${date};"1 437,50";${note}`;
  });
  return ["Clé;Num Commande;date_billed;actual_billable_amount;Remarks-of-the-shop", ...rows, ""].join("\n");
}

/** The page of a push that takes a while and leaves rows to be mended. */
async function pageOfRows(): Promise<string> {
  const { push } = await openWorld(["refuse=num_commande:551020", "latency=150"]);
  const file = await makeFile("orders.csv", orders());
  const argv = "--on-invalid skip --batch-size 50 --concurrency 1".split(" ");
  expect((await push([file, "--report", `${file}.html`, ...argv])).code).toBe(4);
  return `${file}.html`;
}

/** That, the page of a question, and that of many files. */
async function pages(): Promise<readonly string[]> {
  const { push } = await openWorld();
  const open = await makeFile("open.csv", 'cle,date_billed,amount\nA1,05/07/2016,"1,234"\n');
  expect((await push([open, "--report", `${open}.html`])).code).toBe(3);
  const files = await Promise.all(
    Array.from({ length: 5 }, (_, at) => makeFile("shop.csv", `cle,num_commande\nA${at},${at}\n`)),
  );
  expect((await push([...files, "--report", `${files[0]}.html`])).code).toBe(0);
  return [await pageOfRows(), `${open}.html`, `${files[0]}.html`];
}

const WHY = CHROMIUM === undefined ? " (skipped: no Chromium on the path; CHROMIUM names one)" : "";

describe.skipIf(CHROMIUM === undefined)(`the page of --report in Chromium${WHY}`, () => {
  it("has all that it tells", async () => {
    const rows = await pageOfRows();
    const dom = await dumpPage(rows);
    expect(dom).toContain('<p class="headline">600 rows read: 588 accepted, 1 refused, 11 rejected</p>');
    expect(dom).toContain("there is no such day");
    expect(dom).toContain("&lt;b&gt;not bold&lt;/b&gt; &amp; so on");
  });

  it.runIf(atNight)("is the same picture without scripts", async () => {
    const rows = await pageOfRows();
    const picture = await takePicture(rows);
    expect((await takePicture(rows, WITHOUT_SCRIPTS)).equals(picture)).toBe(true);
    await writeFile(rows, "<!doctype html>");
    expect((await takePicture(rows)).equals(picture)).toBe(false);
  });

  it.runIf(atNight)(
    "fits wide and narrow screens in both themes, breaks no short value, and can be read",
    async () => {
      const all = await pages();
      for (const theme of ["light", "dark"] as const) {
        const layouts = await measurePages(all, [1280, 700, 400, 320], theme);
        expect(layouts).toHaveLength(4 * all.length);
        for (const { page, scrollWidth, clientWidth, smallestText, ...layout } of layouts) {
          const where = `${theme} ${clientWidth} ${page}`;
          expect({ ...layout, scrollWidth, where }).toMatchObject({
            scrollWidth: clientWidth,
            scrolled: [],
            broken: [],
            background: theme === "dark" ? "rgb(15, 18, 20)" : "rgb(246, 248, 250)",
          });
          expect(smallestText).toBeGreaterThanOrEqual(11);
          // WCAG 2, level AA.
          expect({ where, ...layout.contrast, isEnough: layout.contrast.ratio >= 4.5 }).toMatchObject({
            isEnough: true,
          });
        }
      }
    },
  );
});
