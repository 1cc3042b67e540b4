import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { heldBy, openSandbox } from "../../support/push-to-sandbox.ts";
import { runMain } from "../../support/run-main.ts";
import { makeDirectory } from "../../support/temp-files.ts";

it("the configs of the topic config push a file with nothing but its name", async () => {
  const topic = await readFile("src/help/config.md", "utf8");
  const [found, own] = [...topic.matchAll(/```json\n([^]*?)```/g)].map(([, text]) => text!);
  const sandbox = await openSandbox();
  const cwd = await makeDirectory();
  const home = join(await makeDirectory(), "rec-push");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(cwd, "rec-push.config.json"), found!, { mode: 0o600 });
  const profiles = own!.replace("https://records.example", sandbox.url);
  await writeFile(join(home, "config.json"), profiles, { mode: 0o600 });
  await writeFile(join(home, "token"), sandbox.token, { mode: 0o600 });
  const rows = "cle;Order No;date_billed;state;actual_billable_amount\nA1;1;05/07/2016;;1 437,50\n";
  await writeFile(join(cwd, "orders.csv"), rows);
  const env = { XDG_CONFIG_HOME: join(home, ".."), XDG_STATE_HOME: await makeDirectory() };
  const { code, stderr } = await runMain([join(cwd, "orders.csv")], { cwd, env });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("error") as string]);
  expect(heldBy(sandbox)).toEqual([
    expect.objectContaining({
      cle: "A1",
      num_commande: "1",
      date_billed: "2016-07-05",
      actual_billable_amount: "1437.50",
      state: "open",
    }),
  ]);
});
