import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { makeDirectory } from "../support/temp-files.ts";

/** Kilobytes; WebAssembly reserves more for each of its memories. */
const LITTLE = 6_000_000;

describe.skipIf(process.platform !== "linux")("a process that may not reserve many addresses", () => {
  it("checks a file as any other does, row by row", async () => {
    const directory = await makeDirectory();
    const file = join(directory, "orders.csv");
    const rows = Array.from({ length: 3000 }, (_, at) =>
      `C${1000 + at};551035;${1 + (at % 28)}/07/2016;1 437,50`.replace(/;(\d)\//, ";0$1/"),
    );
    await writeFile(file, ["cle;num_commande;date_billed;actual_billable_amount", ...rows, ""].join("\n"));
    const command = `"${process.execPath}" "${resolve("bin/rec-push.js")}" check "${file}" --table commandes`;
    const env = { ...process.env, XDG_STATE_HOME: directory, XDG_CONFIG_HOME: directory };
    const run = async (before: string): Promise<string> => {
      const { stdout } = await promisify(execFile)("sh", ["-c", `${before} exec ${command}`], { env });
      return stdout;
    };
    const usual = await run("");
    expect(usual).toContain("3,000 ready to send");
    expect(await run(`ulimit -v ${LITTLE} &&`)).toBe(usual);
  });
});
