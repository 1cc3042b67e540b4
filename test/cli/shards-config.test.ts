import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runProcess } from "../support/run-process.ts";
import { makeDirectory } from "../support/temp-files.ts";

it("a plan says that the place of a config for rejects is not used", async () => {
  const cwd = await makeDirectory();
  await writeFile(join(cwd, "a.csv"), "num_commande\n1\n2\n");
  const argv = ["plan", "a.csv", "--table", "t", "--shards", "2", "--url", "http://127.0.0.1:9"];
  const plain = await runProcess([...argv, "--out", "one"], { cwd });
  expect(plain).toMatchObject({ code: 0, stderr: expect.not.stringContaining("is not used") });
  await writeFile(join(cwd, "rec-push.config.json"), '{"tables":{"t":{"rejects":"mine"}}}');
  const { code, stderr } = await runProcess([...argv, "--out", "two"], { cwd });
  expect([code, stderr]).toEqual([0, expect.stringContaining("mine/ is not used for rejects")]);
});
