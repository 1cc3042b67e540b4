import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { shareOf } from "../support/draws.ts";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { HAS_TERMINALS, runInTerminal, type Size } from "../support/run-in-terminal.ts";
import { makeStateHome } from "../support/run-main.ts";
import { runProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const PRETEND = fileURLToPath(new URL("../support/pretend-terminal.mjs", import.meta.url));
/** The sequence that hides the cursor, which a spinner writes. */
const SPINNER = "\u001b[?25l";

/** Enough rows for the survey to show its progress. */
function makeLargeFile(): Promise<string> {
  const rows = Array.from({ length: 10_000 }, (_, index) => `A${index},x`);
  return makeFile("rows.csv", `cle,state\n${rows.join("\n")}\n`);
}

/** A slow service, so that the progress of sending is shown too. */
async function openSlowSandbox(): Promise<Record<string, string>> {
  const { url, token } = await openSandbox({ faults: ["latency=10"] });
  return { REC_PUSH_URL: url, REC_PUSH_TOKEN: token };
}

describe("a standard error that says it is a terminal", () => {
  it("gets no line for every step of a run on a CI machine", async () => {
    const env = { ...(await openSlowSandbox()), PRETEND_COLUMNS: "80", CI: "true" };
    const argv = [await makeLargeFile(), "-t", "t", "--delimiter", ","];
    const { stderr } = await runProcess(argv, { env: { ...env, NODE_OPTIONS: `--import=${PRETEND}` } });
    expect(stderr).not.toContain("of 10,000 rows");
    expect(stderr).not.toContain("reading");
  });
});

describe.skipIf(!HAS_TERMINALS)("a real terminal", () => {
  const inTerminal = async (size: Size, resizeAt?: { shown: RegExp; size: Size }) => {
    const file = await makeLargeFile();
    const env = { ...(await openSlowSandbox()), XDG_STATE_HOME: makeStateHome() };
    const config = join(await makeDirectory(), "c.json");
    const commands = [
      ["check", file],
      ["init", file, "-t", "t", "--config", config],
      [file, "-t", "t", "--config", config],
    ];
    return runInTerminal(commands, size, env, resizeAt);
  };

  const SIZES: readonly (readonly [number, number, boolean])[] = [
    [0, 0, false],
    [1, 1, false],
    [24, 10, false],
    [24, 0, false],
    [2, 80, true],
    [24, 40, true],
  ];

  it.each(shareOf(SIZES, 1))(
    "of %i rows and %i columns sees check, init and push end",
    async (rows, columns, hasSpinner) => {
      const { code, shown } = await inTerminal({ rows, columns });
      expect(code).toBe(0);
      expect(shown).toContain("10,000 rows read: 10,000 accepted");
      expect(shown.includes(SPINNER)).toBe(hasSpinner);
    },
  );

  it.each(shareOf([0, 30], 1))(
    "that shrinks to %i columns while the push runs sees it end",
    async (columns) => {
      const resizeAt = { shown: /of 10,000 rows/, size: { rows: 24, columns } };
      const { code, shown } = await inTerminal({ rows: 24, columns: 80 }, resizeAt);
      expect(code).toBe(0);
      // In a terminal, lines are broken between words, and each part is coloured.
      const words = stripVTControlCharacters(shown).replaceAll(/\s+/g, " ");
      expect(words).toContain("10,000 rows read: 10,000 accepted");
    },
  );
});
