import { execFileSync, spawnSync } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { fixture } from "../support/fixture.ts";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { BIN } from "../support/run-process.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** True if tmux is installed, whose screen a test can read. */
const HAS_TMUX = spawnSync("tmux", ["-V"]).status === 0;

/** A command in a terminal with a screen and a keyboard. */
interface Tmux {
  /** The lines on the screen, without the empty ones at its end. */
  readonly screen: () => readonly string[];
  readonly type: (...keys: readonly string[]) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** Waits until the screen matches, and returns it. */
  readonly waitFor: (pattern: RegExp) => Promise<readonly string[]>;
}

let opened = 0;

/** Runs one command line of rec-push in a terminal of that size; when it has ended, the screen shows `exit CODE`. */
function runInTmux(
  argv: readonly string[],
  {
    columns,
    rows = 24,
    cwd,
    env = {},
  }: {
    readonly columns: number;
    readonly rows?: number;
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
  },
): Tmux {
  opened += 1;
  const home = makeStateHome();
  const socket = `rec-push-test-${process.pid}-${opened}`;
  const tmux = (...words: readonly string[]): string =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...words], {
      cwd,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        TERM: "xterm",
        HOME: home,
        XDG_STATE_HOME: home,
        XDG_CONFIG_HOME: home,
        LANG: "C.UTF-8",
        ...env,
      },
    });
  const words = [process.execPath, BIN, ...argv].map((word) => `'${word}'`).join(" ");
  // The shell outlives the command, so that its screen stays.
  const shell = `trap : INT; ${words}; echo "exit $?"; trap '' INT; sleep 600`;
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), shell);
  onTestFinished(() => void tmux("kill-server"));
  const screen = (): readonly string[] => tmux("capture-pane", "-p").trimEnd().split("\n");
  return {
    screen,
    type: (...keys) => void tmux("send-keys", ...keys),
    resize: (width, height) => void tmux("resize-window", "-x", String(width), "-y", String(height)),
    async waitFor(pattern) {
      for (let tries = 0; tries < 600; tries++) {
        const lines = screen();
        if (pattern.test(lines.join("\n"))) return lines;
        await sleep(50);
      }
      throw new Error(`the screen never matched ${String(pattern)}:\n${screen().join("\n")}`);
    },
  };
}

async function openFolder(): Promise<string> {
  const cwd = await makeDirectory();
  await copyFile(fixture("csv/orders-excel-fr.csv"), join(cwd, "orders.csv"));
  const rows = Array.from({ length: 20_000 }, (_, at) => `A${at},${at}\n`);
  await writeFile(join(cwd, "many.csv"), `cle,num_commande\n${rows.join("")}`);
  await writeFile(join(cwd, "bad.csv"), "cle,num_commande\nA1,1\nA2,5.51E+05\n");
  return cwd;
}

/** No day is above 12. */
const JULY = `cle;date_billed;actual_billable_amount
F000121;05/07/2016;1 437,50
F000122;06/07/2016;595
F000123;11/07/2016;12 080,00
`;

const LOOK = (lines: readonly string[]): string => lines.join("\n").replaceAll(/\d+\.\d s\)/g, "0.0 s)");

/** A slow service. */
async function openSlow(faults: readonly string[]) {
  const { url, token } = await openSandbox({ faults });
  return { REC_PUSH_URL: url, REC_PUSH_TOKEN: token };
}

describe.skipIf(!HAS_TMUX)(`what a person sees${HAS_TMUX ? "" : " (skipped: there is no tmux)"}`, () => {
  it.each([
    ["push.svg", 84, "$ npx rec-push ", "fixtures/csv/orders-excel-fr.csv --table commandes --sandbox", []],
    ["refusal.svg", 80, "$ rec-push ", "check july.csv", []],
    ["question.svg", 80, "$ rec-push ", "july.csv --table commandes --sandbox", [/^1 to 2:$/m, "1"]],
  ] as const)("is what README's picture %s shows", async (name, columns, prompt, line, [asked, answer]) => {
    const picture = await readFile(join("fixtures/screen", name), "utf8");
    const shown = [...picture.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, text]) =>
      text!
        .replaceAll(/<[^>]*>/g, "")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&amp;", "&"),
    );
    expect(shown[0]).toBe(prompt + line);
    const cwd = await makeDirectory();
    await mkdir(join(cwd, "fixtures/csv"), { recursive: true });
    await copyFile(fixture("csv/orders-excel-fr.csv"), join(cwd, "fixtures/csv/orders-excel-fr.csv"));
    await writeFile(join(cwd, "july.csv"), JULY);
    const tmux = runInTmux(line.split(" "), { columns, rows: 40, cwd });
    if (asked !== undefined && answer !== undefined) {
      await tmux.waitFor(asked);
      tmux.type(answer, "Enter");
    }
    const screen = await tmux.waitFor(/^exit|\[y\/n\]/m);
    const lines = screen.filter((text) => !text.startsWith("exit"));
    expect(LOOK(shown.slice(1).map((text) => text.trimEnd()))).toBe(LOOK(lines));
  });

  it("of rows left out", async () => {
    const cwd = await openFolder();
    const note = "x".repeat(70);
    const rows = `A1,1,${note},13/07/2016,a\nA2,2,${note},"31/06/2016",${note}\nA3,東京,b,14/07/2016,c\n`;
    await writeFile(join(cwd, "left.csv"), `cle,num_commande,note,date_billed,more\n${rows}`);
    const pins = ["--delimiter", ",", "--date-format", "DD/MM/YYYY", "--other-columns", "send"];
    const argv = ["left.csv", "-t", "t", "--sandbox", "--on-invalid", "skip", ...pins];
    const tmux = runInTmux(argv, { columns: 60, cwd });
    expect(LOOK(await tmux.waitFor(/exit/))).toMatchInlineSnapshot(`
      "left.csv: CSV with ",", utf-8, header in line 1, 3 rows: 1
        update, 0 creates, 2 invalid
        date_billed: DD/MM/YYYY, settled by --date-format
        1  update     1 row  line 2               200 Update Items
          OK.
      left.csv:3: column 4 "date_billed" holds "31/06/2016": there
        is no such day
      left.csv:4: column 2 "num_commande" holds "東京": it holds
        more than digits
      3 rows read: 1 accepted, 2 rejected (1 batch, 0.0 s)
      Some rows were rejected or refused.
      Next: mend those rows, then run the same command again
      The sandbox's table t now holds 1 record:
        {"cle":"A1", "num_commande":"1",
          "note":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
      xxxxxxxxxxxxxxxxxxxxxx",
          "date_billed":"2016-07-13", "more":"a"}
      exit 4"
    `);
  });

  it("of a long push: twenty lines of batches, one that grows and one of progress, also after the window was made narrower", async () => {
    const env = await openSlow(["latency=60"]);
    const argv = ["many.csv", "-t", "t", "--concurrency", "1", "--delimiter", ","];
    const tmux = runInTmux(argv, { columns: 80, cwd: await openFolder(), env });
    const running = await tmux.waitFor(/batches.*\n.* %, .* rows/);
    expect(running.filter((line) => line.startsWith("update"))).toHaveLength(1);
    expect(running.at(-1)).toMatch(/^ \S \d+ %, [\d,]+ of 20,000 rows/);
    tmux.resize(40, 24);
    const narrow = await tmux.waitFor(/^update .*\n.*\n.* %, .*$/m);
    expect(narrow.filter((line) => /^ \S \d+ %, /.test(line))).toHaveLength(1);
    const done = await tmux.waitFor(/exit 0/);
    expect(done.join("\n")).not.toMatch(/ %, /);
    expect(done.filter((line) => line.startsWith("update"))).toHaveLength(1);
  });

  it("of a wait: it counts down, and who asked for it", async () => {
    const env = await openSlow(["status=429,retry-after=30,skip=2"]);
    const argv = ["many.csv", "-t", "t", "--concurrency", "1", "--delimiter", ","];
    const tmux = runInTmux(argv, { columns: 80, cwd: await openFolder(), env });
    const secondsIn = (lines: readonly string[]): number =>
      Number(/waiting (\d+) s, the service said so/.exec(lines.join("\n"))?.[1]);
    const first = secondsIn(await tmux.waitFor(/waiting \d+ s, the service said so/));
    const later = secondsIn(await tmux.waitFor(new RegExp(`waiting (?!${first} )\\d+ s, the`)));
    expect(later).toBeLessThan(first);
    tmux.type("C-c");
    expect((await tmux.waitFor(/exit/)).at(-1)).toBe("exit 130");
  });

  it("after Ctrl-C: no progress, no ^C, the cursor, and what to do next", async () => {
    const env = await openSlow(["latency=60"]);
    const argv = ["many.csv", "-t", "t", "--concurrency", "1", "--delimiter", ","];
    const tmux = runInTmux(argv, { columns: 80, cwd: await openFolder(), env });
    await tmux.waitFor(/[1-9] %, .* of /);
    tmux.type("C-c");
    const lines = await tmux.waitFor(/exit 130/);
    const text = lines.join("\n");
    expect(text).not.toMatch(/ %, |\^C/);
    expect(text).toMatch(/20,000 rows read: [\d,]+ accepted, [\d,]+ not sent/);
    expect(text).toContain("Next: run the same command again: it continues where this one ended");
  });
});
