import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { shareOf } from "../support/draws.ts";
import { runProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

const HOOK = fileURLToPath(new URL("../support/signal-at-end.cjs", import.meta.url));

const columns = (count: number, cell: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => cell(at)).join(",");

const FILES: readonly (readonly [string, string])[] = [
  [
    "a wide table",
    `cle,${columns(1500, (at) => `c${at}`)}\n${Array.from({ length: 20 }, (_, row) => `K${row},${columns(1500, (at) => `${at}.5`)}\n`).join("")}`,
  ],
  ["many narrow rows", `cle,date_facture,c\n${"K\n".repeat(60_000)}`],
];

describe.each(FILES)("a check of %s, when all of it is read", (_, content) => {
  it.each(
    shareOf(
      [
        ["SIGINT", 1, 130],
        ["SIGTERM", 2, 143],
        ["SIGINT", 2, 130],
      ] as const,
      1,
    ),
  )("ends with %s at the end of pass %i with %i", async (signal, ends, expected) => {
    const file = await makeFile("a.csv", content);
    const env = { NODE_OPTIONS: `--require ${HOOK}`, SIGNAL_AT_END: signal, ENDS: String(ends) };
    const { code, stdout, stderr } = await runProcess(
      ["check", file, "--delimiter", "comma", "--header-line", "1"],
      { env },
    );
    expect({ code, stderr }).toMatchObject({
      code: expected,
      stderr: expect.stringContaining("interrupted"),
    });
    expect(stdout).not.toContain("ready to send");
  });
});

it("a check of one row of numbers ends with SIGINT, not with a question", async () => {
  const file = await makeFile("a.csv", `${columns(40_000, () => "1")}\n`);
  const env = { NODE_OPTIONS: `--require ${HOOK}`, SIGNAL_AT_END: "SIGINT", ENDS: "1" };
  const { code, stderr } = await runProcess(["check", file, "--delimiter", "comma", "--header-line", "1"], {
    env,
  });
  expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringContaining("interrupted") });
});
