import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { CHROMIUM, dumpPage, measurePages, takePicture, WITHOUT_SCRIPTS } from "../support/chromium.ts";
import { atNight } from "../support/draws.ts";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

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
