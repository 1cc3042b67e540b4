import { spawn } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shareOf } from "../support/draws.ts";
import { openSandbox, heldBy } from "../support/push-to-sandbox.ts";
import { BIN } from "../support/run-process.ts";
import { makeDirectory } from "../support/temp-files.ts";

const NUMBERS = ["1", "2", "3", "4", "5", "6"];
const csv = (numbers: readonly string[]): string => `num_commande\n${numbers.join("\n")}\n`;

/** An ending of a push, and the steps that are right for what the service then holds. */
interface Ending {
  readonly name: string;
  readonly faults: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly options: string;
  readonly code: number;
  /** The beginnings of the right steps; each is followed in its own world. */
  readonly steps: readonly (string | RegExp)[];
  /** The beginning of a step that the first one prints, which is followed next. */
  readonly later?: string;
  /** What the step asks the person to do first (with `later`: what the later step asks). */
  readonly before?: (directory: string) => Promise<void>;
  /** The records that the service holds in the end. */
  readonly held?: readonly string[];
}

const ONE = { "orders.csv": csv(NUMBERS) };
const TWO = { "a.csv": csv(NUMBERS.slice(0, 3)), "b.csv": csv(NUMBERS.slice(3)) };
const AGAIN = "run the same command again";
const QUICK = "--retries 0 --late 1s";

const ENDINGS: readonly Ending[] = [
  {
    name: "creates in doubt that are there",
    faults: ["drop=after,kind=create,times=1"],
    files: ONE,
    options: QUICK,
    code: 8,
    steps: ["if they are there"],
  },
  {
    name: "creates in doubt that are not there",
    faults: ["drop=before,kind=create,times=1"],
    files: ONE,
    options: QUICK,
    code: 8,
    steps: ["if they are not", "if only some are there"],
  },
  {
    name: "creates in doubt of which some are there",
    faults: ["status=504,after-applying=2,kind=create,times=1"],
    files: ONE,
    options: QUICK,
    code: 8,
    steps: ["if only some are there"],
    before: async (directory) => {
      const path = join(directory, "orders.in-doubt.csv");
      const lines = (await readFile(path, "utf8")).split("\n");
      await writeFile(path, lines.filter((line) => !/[;,][12]$/.test(line)).join("\n"));
    },
  },
  {
    name: "doubt in the first file, and a second one that was not sent",
    faults: ["drop=after,kind=create,times=1", "status=401,skip=1"],
    files: TWO,
    options: QUICK,
    code: 8,
    steps: ["if they are there"],
  },
  {
    name: "a service that is away",
    faults: ["drop=before"],
    files: {
      "orders.csv": `cle,num_commande\n${NUMBERS.map((number) => `A${number},${number}\n`).join("")}`,
    },
    options: QUICK,
    code: 7,
    steps: [AGAIN],
  },
  {
    name: "a token that is refused",
    faults: ["status=401"],
    files: TWO,
    options: QUICK,
    code: 5,
    steps: [AGAIN],
  },
  {
    name: "a request that is refused",
    faults: ["status=404"],
    files: ONE,
    options: QUICK,
    code: 6,
    steps: [AGAIN],
  },
  {
    name: "a run given up because the address was wrong",
    faults: ["status=404"],
    files: ONE,
    options: QUICK,
    code: 6,
    steps: ["if the URL or the table was wrong"],
    held: NUMBERS,
  },
  {
    name: "rows that were left out, once they are mended",
    faults: [],
    files: { "orders.csv": "num_commande,date_billed\n1,2016-01-02\n2,x\n3,2016-01-02\n" },
    options: "--on-invalid skip",
    code: 4,
    steps: ["mend the 1 row"],
    before: async (directory) => {
      const path = join(directory, "orders.rejects.csv");
      await writeFile(path, (await readFile(path, "utf8")).replace("2,x", "2,2016-01-03"));
    },
    held: ["1", "2", "3"],
  },
  {
    name: "creates in doubt beside rows that were left out",
    faults: ["drop=after,kind=create,times=1"],
    files: { "orders.csv": "num_commande,date_billed\n1,2016-01-02\n2,x\n3,2016-01-02\n" },
    options: `--on-invalid skip ${QUICK}`,
    code: 8,
    steps: ["if they are there"],
    later: "mend the 1 row",
    before: async (directory) => {
      const path = join(directory, "orders.rejects.csv");
      await writeFile(path, (await readFile(path, "utf8")).replace("2,x", "2,2016-01-03"));
    },
    held: ["1", "2", "3"],
  },
];

/** Runs a line in a shell, as a person who pastes it does. */
async function paste(line: string, directory: string, env: Readonly<Record<string, string>>) {
  const child = spawn("sh", ["-c", line], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (text: Buffer) => (output += text.toString()));
  child.stderr.on("data", (text: Buffer) => (output += text.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, output };
}

/** The printed step with this beginning. */
function findStep(output: string, beginning: string | RegExp): string {
  const printed = [...output.matchAll(/^Next: (.*)$/gm)].map(([, step]) => step ?? "");
  const step = printed.find((text) =>
    typeof beginning === "string" ? text.startsWith(beginning) : beginning.test(text),
  );
  expect([printed, step]).toEqual([printed, expect.any(String)]);
  return step!;
}

describe.each(shareOf(ENDINGS, 5))(
  "after $name",
  ({ faults, files, options, code, steps, later, before, held = NUMBERS }) => {
    it.each(steps)("the step that begins with %s leaves every record there once", async (beginning) => {
      const sandbox = await openSandbox({ faults: [...faults, "honour-keys"] });
      const [directory, home] = [await makeDirectory(), await makeDirectory()];
      const bin = join(home, "bin");
      await mkdir(bin);
      await writeFile(join(bin, "rec-push"), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
      await chmod(join(bin, "rec-push"), 0o755);
      for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
      const env = {
        PATH: `${bin}:${process.env["PATH"] ?? ""}`,
        HOME: home,
        REC_PUSH_URL: sandbox.url,
        REC_PUSH_TOKEN: sandbox.token,
      };
      const command = `rec-push ${Object.keys(files).join(" ")} --table commandes ${options}`;
      const ended = await paste(command, directory, env);
      expect([ended.code, ended.output]).toEqual([code, expect.anything()]);
      sandbox.setFaults(["honour-keys"]);
      let output = ended.output;
      for (const wanted of later === undefined ? [beginning] : [beginning, later]) {
        const step = findStep(output, wanted);
        if (wanted === (later ?? beginning)) await before?.(directory);
        // The command in the step, without the words after it that say what it does.
        const line = step.startsWith(AGAIN)
          ? command
          : /rec-push [^;]*?(?= sends them again|;|$)/.exec(step)![0];
        let followed = await paste(line, directory, env);
        // Nothing was deleted, as none of them is there: the refusal leads on.
        const none = / none of them is there: (rec-push .*)$/m.exec(followed.output)?.[1];
        if (followed.code === 2 && none !== undefined) followed = await paste(none, directory, env);
        expect([followed.code, line, followed.output]).toEqual([
          expect.toBeOneOf([0, 4]),
          line,
          expect.anything(),
        ]);
        output = followed.output;
      }
      // Then the first command again, as a person who is not sure does.
      const again = await paste(command, directory, env);
      expect([again.code, again.output]).toEqual([expect.toBeOneOf([0, 4]), expect.anything()]);
      expect(
        heldBy(sandbox)
          .map((record) => record["num_commande"])
          .toSorted((a = "", b = "") => a.localeCompare(b)),
      ).toEqual(held);
    });
  },
);
