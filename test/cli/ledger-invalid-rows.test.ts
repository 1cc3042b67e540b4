import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const ROWS = "num_commande,date_billed\n1,2020-01-01\n2,2020-13-45\n3,2020-01-03\n";

describe.each(["add", "remove"])("ledger %s of a file with invalid rows", (action) => {
  it("stops, and with the option that it names leaves them out, names and counts them", async () => {
    const { command, push, numbers } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    const line = ["ledger", action, file, "-t", "commandes", "--identify-by", "num_commande"];
    const stopped = await command(line);
    expect(stopped).toMatchObject({ code: 3, stderr: expect.stringContaining("1 of 3 rows is invalid") });
    const [, advised = ""] = /leave them out with (--on-invalid \w+)/.exec(stopped.stderr) ?? [];
    const { code, stderr } = await command([...line, ...advised.split(" "), "--quiet"]);
    expect(code).toBe(4);
    expect(stderr).toContain(`${file}:3: column 2 "date_billed" holds "2020-13-45"`);
    expect(stderr).toContain(`${file}: 1 invalid row is left out`);
    expect(stderr).toContain("of 2 creates");
    // The row that was left out is new to the ledger once it is mended.
    const mended = await makeFile("mended.csv", ROWS.replace("13-45", "12-31"));
    await push([mended, "--exports", "full", "--identify-by", "num_commande"]);
    expect(numbers()).toEqual(action === "add" ? ["2"] : ["1", "2", "3"]);
  });
});
