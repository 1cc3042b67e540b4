import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldBy } from "../support/push-to-sandbox.ts";
import { openWorld } from "../support/open-world.ts";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const ORDER =
  '{"cle":"F1","num_commande":"551035","lines":[{"cle":"L1","num_commande":"1"},{"num_commande":"2"}]}';
const NESTED = '{"cle":"F1","customer":{"email":"a@b","tags":[1]},"num_commande":"551035"}';

async function check(text: string, ...options: readonly string[]) {
  const file = await makeFile("orders.json", text);
  const { code, stdout, stderr } = await runMain(["check", file, "--records", "-", ...options]);
  const records = stdout.split("\n").filter((line) => line.startsWith("{"));
  return { code, stderr, records: records.map((line) => JSON.parse(line) as unknown) };
}

describe("an order with its lines", () => {
  it.each([
    ["on one line", ORDER],
    ["on one line of several", `${ORDER}\n${ORDER}\n`],
    ["over several lines", JSON.stringify(JSON.parse(ORDER), undefined, 2)],
  ])("sends neither the lines nor the order unasked: %s", async (_, text) => {
    for (const skip of [[], ["--on-invalid", "skip"]]) {
      const { code, records, stderr } = await check(text, ...skip);
      expect([code, records]).toEqual([3, []]);
      expect(stderr).toContain("--drop lines");
    }
    const order = { cle: "F1", num_commande: "551035" };
    const asOrder = await check(text, "--format", "ndjson", "--drop", "lines");
    expect(asOrder.records).toEqual(
      text
        .split("F1")
        .slice(1)
        .map(() => order),
    );
    const asLines = await check(text, "--json-path", "lines");
    expect(asLines.records.slice(0, 2)).toEqual([{ cle: "L1", num_commande: "1" }, { num_commande: "2" }]);
  });
});

describe("the answer of a service on one line", () => {
  it.each([
    [
      "records",
      '{"totalSize":57,"done":false,"records":[{"cle":"C1","num_commande":"1"},{"cle":"C2","num_commande":"2"}]}',
    ],
    [
      "items",
      '{"items":[{"cle":"C1","num_commande":"1"},{"cle":"C2","num_commande":"2"}],"search_criteria":{"a":1}}',
    ],
    [
      "data.rows",
      '{"data":{"rows":[{"cle":"C1","num_commande":"1"},{"cle":"C2","num_commande":"2"}]},"cost":{"used":1}}',
    ],
  ])("gets no advice that gives up the records in it: %s", async (path, text) => {
    for (const form of [text, JSON.stringify(JSON.parse(text), undefined, 2)]) {
      const { code, stderr } = await check(form);
      expect([code, stderr]).toEqual([3, expect.stringContaining(`  --json-path ${path}`)]);
      expect(stderr).not.toMatch(/ add |--yes/);
    }
    const { records } = await check(text, "--json-path", path);
    expect(records).toHaveLength(2);
  });

  it("is one record where the array was dropped by name", async () => {
    const { code, records } = await check(ORDER, "--drop", "lines");
    expect([code, records]).toEqual([0, [{ cle: "F1", num_commande: "551035" }]]);
  });
});

describe("records under their ids", () => {
  it("stop the run, and no advice sends one of them alone", async () => {
    const text = '{"1001":{"cle":"C1","num_commande":"1"},"1002":{"cle":"C2","num_commande":"2"}}';
    for (const form of [text, JSON.stringify(JSON.parse(text), undefined, 2)]) {
      const { code, stderr } = await check(form);
      expect([code, stderr]).toEqual([3, expect.stringContaining('"1001" holds JSON objects')]);
      expect(stderr).not.toContain("--json-path");
    }
    const { code, stderr } = await check(`{"orders":${text}}`);
    expect([code, stderr]).toEqual([3, expect.stringContaining("add --json-path orders")]);
  });
});

describe("nested members", () => {
  it("are settled by one ready line that works", async () => {
    const first = await check(NESTED);
    expect([first.code, first.records]).toEqual([3, []]);
    expect(first.stderr).toContain("add --flatten\n");
    const second = await check(NESTED, "--flatten");
    expect(second.stderr).toContain("add --drop customer_tags\n");
    const third = await check(NESTED, "--flatten", "--drop", "customer_tags");
    expect(third).toMatchObject({
      code: 0,
      records: [{ cle: "F1", customer_email: "a@b", num_commande: "551035" }],
    });
    const dropped = await check(NESTED, "--flatten", "--drop", "customer");
    expect(dropped.records).toEqual([{ cle: "F1", num_commande: "551035" }]);
  });

  it.each([
    ["an object", '{"order":{"cle":"F1","num_commande":"1"}}', "order"],
    ["an object, over several lines", '{\n"order":{"cle":"F1","num_commande":"1"}}', "order"],
    ["an array", '{"results":[{"cle":"F1","num_commande":"1"}]}\n{"results":[]}', "results"],
    [
      "an array in an answer",
      '{"count":1,"data":[{"cle":"F1","num_commande":"1"}]}\n{"count":0,"data":[]}',
      "data",
    ],
  ])("that are all a row has are named by the path to the records: %s", async (_, text, path) => {
    const { code, stderr, records } = await check(text);
    expect([code, records]).toEqual([3, []]);
    expect(stderr).toContain(`--json-path ${path}`);
    expect(stderr).not.toContain("--drop");
    expect(await check(text, "--json-path", path)).toMatchObject({
      code: 0,
      records: [{ cle: "F1", num_commande: "1" }],
    });
  });

  it.each(["[]", "{}"])("that hold nothing give up neither the others nor the file: %s", async (empty) => {
    const billing = '{"mail":"a@x","city":"Paris"}';
    const text = `[${[billing, empty, billing].map((value, at) => `{"cle":"F${at}","num_commande":"1","billing":${value}}`).join(",")}]`;
    const file = await makeFile("orders.json", text);
    const first = await runMain(["check", file, "--table", "t"], { others: "nothing" });
    expect([first.code, first.stderr]).toEqual([3, expect.stringContaining("add --flatten\n")]);
    const pinned = ["--flatten", "--type", "billing_mail=text", "--type", "billing_city=text"];
    const filled = { num_commande: "1", billing_mail: "a@x", billing_city: "Paris" };
    expect(await check(text, ...pinned)).toMatchObject({
      code: 0,
      records: [
        { cle: "F0", ...filled },
        { cle: "F1", num_commande: "1" },
        { cle: "F2", ...filled },
      ],
    });
    expect(await check(text, "--drop", "billing")).toMatchObject({ code: 0, records: { length: 3 } });
  });

  it("need no answer for a member that is null where a record lacks the object, unless it holds a value", async () => {
    const rows = (value: string): string =>
      `[{"cle":"F0","num_commande":"1","billing":{"mail":"a@x"}},{"cle":"F1","num_commande":"2","billing":${value}}]`;
    const asked = async (text: string, ...options: readonly string[]) => {
      const argv = ["check", await makeFile("orders.json", text), "--records", "-", "--flatten", ...options];
      return runMain(argv, { others: "nothing" });
    };
    const pinned = ["--type", "billing_mail=text"];
    const { code, stdout } = await asked(rows("null"), ...pinned);
    expect([code, stdout]).toEqual([0, expect.stringContaining('{"cle":"F1","num_commande":"2"}\n')]);
    const question = [3, expect.stringContaining('member "billing" is not declared')];
    const filled = await asked(rows('"none"'), ...pinned);
    expect([filled.code, filled.stderr]).toEqual(question);
  });

  it("are flattened by a config as by the option", async () => {
    const file = await makeFile("orders.json", NESTED);
    const cwd = dirname(file);
    const tables = { t: { flatten: true, drop: ["customer_tags"] } };
    await writeFile(join(cwd, "rec-push.config.json"), JSON.stringify({ tables }));
    const { code, stdout } = await runMain(["check", file, "--table", "t", "--records", "-"], { cwd });
    expect([code, stdout]).toEqual([0, expect.stringContaining('"customer_email":"a@b"')]);
  });

  it("are flattened again by a run that is taken up, and another command without the option is told apart", async () => {
    const { push, command, sandbox } = await openWorld(["status=401"]);
    const file = await makeFile(
      "orders.json",
      '{"cle":"F1","customer":{"email":"a@b"}}\n{"cle":"F2","num_commande":"1"}\n',
    );
    expect((await push([file, "--flatten"])).code).toBe(5);
    sandbox.setFaults([]);
    const other = await push([file, "--drop", "customer"]);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("--flatten: yes then, no now")]);
    expect((await command(["resume"])).code).toBe(0);
    expect(heldBy(sandbox)).toContainEqual({ cle: "F1", customer_email: "a@b" });
  });

  it("are flattened in the mended rejects, which hold the records themselves", async () => {
    const { push, sandbox } = await openWorld();
    const rows = '{"cle":"F1","a":{"n_amount":"x"}},{"cle":"F2","a":{"n_amount":"2.00"}}';
    const file = await makeFile("orders.json", `{"result":{"data":[${rows}]}}`);
    const rejects = join(dirname(file), "r.json");
    await writeFile(
      join(dirname(file), "rec-push.config.json"),
      JSON.stringify({ tables: { commandes: { jsonPath: "result.data", flatten: true, decimal: "." } } }),
    );
    const options = ["--config", join(dirname(file), "rec-push.config.json")];
    expect((await push([file, "--on-invalid", "skip", "--rejects", rejects, ...options])).code).toBe(4);
    await writeFile(
      rejects,
      (await readFile(rejects, "utf8")).replace('"n_amount":"x"', '"n_amount":"1.00"'),
    );
    expect(await push([rejects, "--format", "ndjson", ...options])).toMatchObject({ code: 0 });
    expect(heldBy(sandbox)).toContainEqual({ cle: "F1", a_n_amount: "1.00" });
  });
});

describe("what is wrong with a member", () => {
  it.each([
    [
      "a value",
      '{"z":1,"num_commande":"1"},\n{"num_commande":"x","z":1}',
      ':2: member "num_commande" holds "x": ',
    ],
    [
      "several",
      '{"num_commande":"x"},\n{"num_commande":"y"}',
      ': 2 x member "num_commande" holds "x", "y": ',
    ],
    ["two members", '{"z":1,"z":1},\n{"y":1,"y":1}', ':1: member "z": is given twice'],
    [
      "given twice",
      '{"z":1,"num_commande":"1","num_commande":"2"}',
      ':1: member "num_commande": is given twice',
    ],
    ["an order of dates", '{"date_billed":"05/07/2016"}', ': member "date_billed": line 1 "05/07/2016" is '],
    ["a number that Excel spoilt", '{"num_commande":"1","note":"1,23E+15"}', 'note: member "note": '],
  ])("has the name of the member and no position: %s", async (_, rows, problem) => {
    const { stderr } = await check(`[${rows}]`, "--other-columns", "send");
    expect(stderr).toContain(problem);
    expect(stderr).not.toMatch(/column [\d"]/);
  });
});

describe("rows of JSON with problems", () => {
  const orders = Array.from({ length: 60 }, (_, at) => ({ cle: `C${at + 1}`, amount_paid: `${at}.50` }));
  const flawed = (positions: readonly number[]): object[] =>
    orders.map((order, at) => (positions.includes(at + 1) ? { ...order, amount_paid: `x${at}` } : order));
  const told = async (content: string, ...more: readonly string[]) => {
    const file = await makeFile("orders.json", content);
    const run = await (
      await openWorld()
    ).push([file, "--type", "amount_paid=amount", "--decimal", ".", ...more]);
    return { ...run, stderr: run.stderr.replaceAll(file, "orders.json") };
  };

  it("are told apart by their numbers where a line holds several", async () => {
    expect((await told(JSON.stringify(flawed([57])))).stderr).toContain(
      'orders.json:1: record 57, member "amount_paid" holds "x56"',
    );
    expect((await told(JSON.stringify(flawed([1, 57, 60])))).stderr).toMatch(
      /3 x member "amount_paid" .*, records 1, 57, 60$/m,
    );
    expect((await told(JSON.stringify([...orders, 5]))).stderr).toContain(
      "orders.json:1: record 61: a number is where a row should be",
    );
    const { events } = await told(JSON.stringify(flawed([57])), "--on-invalid", "skip", "--json");
    expect(events()).toContainEqual(expect.objectContaining({ event: "reject", line: 1, record: 57 }));
  });

  it("are told apart where they look like totals, without an option for the last lines of a table", async () => {
    const total = [...orders, { libelle: "Total", amount_paid: "1800.00" }];
    const asked = await told(JSON.stringify(total), "--type", "libelle=text");
    expect(asked.stderr).toContain("orders.json:1: record 61: the row looks like a total");
    expect(asked.stderr).not.toContain("--skip-footer");
    const { events } = await told(
      JSON.stringify(total),
      "--type",
      "libelle=text",
      "--on-invalid",
      "skip",
      "--json",
    );
    expect(events()).toContainEqual(expect.objectContaining({ event: "reject", line: 1, record: 61 }));
    const skipped = await told(JSON.stringify(total), "--type", "libelle=text", "--totals", "skip");
    expect(skipped.stderr).toContain("(--totals skip): record 61 (Total)");
  });

  it("are no headings where they have few members, but where they are blank", async () => {
    const full = { nom: "Dupont", ville: "Lyon", date_billed: "2016-07-05", amount_paid: "1.50" };
    const push = (last: object) =>
      told(JSON.stringify([full, full, last]), "--type", "nom=text", "--type", "ville=text");
    expect((await push({ nom: "Zola", ville: "Nice" })).code).toBe(0);
    expect(
      (await push({ nom: "Groupe Nord", ville: "", date_billed: null, amount_paid: "" })).stderr,
    ).toContain('record 3: the row is unlike all others: it holds "Groupe Nord"');
  });

  it("have their lines where each has its own", async () => {
    const lines = flawed([57, 60]).map((order) => JSON.stringify(order));
    expect((await told(`[\n${lines.join(",\n")}]`)).stderr).toMatch(/2 x member .*, lines 58, 61$/m);
    expect((await told(lines.join("\n"), "--format", "ndjson")).stderr).toMatch(
      /2 x member .*, lines 57, 60$/m,
    );
    expect((await told(JSON.stringify(flawed([57]), undefined, 2))).stderr).not.toContain("record");
  });

  it("are told apart in the report", async () => {
    const directory = dirname(await makeFile("orders.json", ""));
    for (const [name, shown] of [
      ["report.html", "records 1, 57"],
      ["report.json", '"records": ['],
    ] as const) {
      const path = join(directory, name);
      await told(JSON.stringify(flawed([1, 57])), "--report", path);
      expect(await readFile(path, "utf8")).toContain(shown);
    }
  });
});

describe("the advice for arrays in all records", () => {
  const rows = [ORDER.replace('"lines"', '"note":"x","lines"'), ORDER];

  it("names a path only where one leads to the array", async () => {
    const lines = await check(rows.join("\n"), "--other-columns", "send");
    expect(lines.stderr).toContain("--json-path lines sends the records in the array instead");
    expect((await check(rows.join("\n"), "--json-path", "lines")).code).toBe(0);
    const { stderr } = await check(`[${rows.join(",")}]`, "--other-columns", "send");
    expect(stderr).toContain("--drop lines");
    expect(stderr).not.toContain("--json-path");
  });
});

describe("an array of records that is said to be one record a line", () => {
  it("is refused with the option that reads it", async () => {
    const rows = '[{"cle":"F1","num_commande":"1"}]';
    const { code, stderr } = await check(rows, "--format", "ndjson");
    expect([code, stderr]).toEqual([3, expect.stringContaining("--format json, if the file is one array")]);
    expect((await check(rows, "--format", "json")).code).toBe(0);
  });
});

describe("a page of an answer", () => {
  const rows = (count: number): object[] =>
    Array.from({ length: count }, (_, at) => ({ cle: `C${at}`, num_commande: "551035" }));
  const note = /note: the file is one page of an answer: the rows of the next \((.*)\) are not in it/;

  it.each([
    ['"next": "https://shop/?page=2"', { count: 900, next: "https://shop/?page=2", previous: null }],
    ['"has_more": "true"', { has_more: true }],
    ['"@odata.nextLink": "https://erp/?$skip=3"', { "@odata.nextLink": "https://erp/?$skip=3" }],
  ])("is pushed with a note that %s names another", async (member, around) => {
    for (const count of [3, 500]) {
      for (const content of [
        { ...around, value: rows(count) },
        { value: rows(count), ...around },
      ])
        for (const path of [[], ["--json-path", "value"]]) {
          const { code, records, stderr } = await check(JSON.stringify(content), ...path);
          expect([code, records.length]).toEqual([0, count]);
          expect(note.exec(stderr)?.[1]).toBe(member);
        }
    }
  });

  it.each([
    ["links", "value", { links: { self: "p1", next: "p2" }, value: rows(3) }],
    ["a cursor", "value", { value: rows(3), paging: { next: { after: "512" } } }],
    ["counts", "value", { meta: { pagination: { total: 9, next: 2 } }, value: rows(3) }],
    [
      "GraphQL",
      "data.orders.nodes",
      { data: { orders: { nodes: rows(3), pageInfo: { hasNextPage: true } } } },
    ],
    ["HAL", "_embedded.orders", { _embedded: { orders: rows(3) }, _links: { next: { href: "/o?page=2" } } }],
  ])("is pushed with a note where a path leads to the rows: %s", async (_, path, content) => {
    for (const space of [undefined, 1]) {
      const { code, stderr } = await check(JSON.stringify(content, undefined, space), "--json-path", path);
      expect([code, note.test(stderr)]).toEqual([0, true]);
    }
  });

  it.each([
    ["the last page", { paging: { next: null }, _links: { last: { href: "/o?page=2" } } }],
    ["the last page", { count: 90, next: null, has_more: false, links: { next: "" } }],
    ["no pages", { count: 3, previous: "p1" }],
  ])("has no note where it is %s", async (_, around) => {
    const text = JSON.stringify({ ...around, value: rows(3) });
    const { code, stderr } = await check(text, "--json-path", "value");
    expect([code, stderr.includes("page of an answer")]).toEqual([0, false]);
  });

  it("has no note where the pages follow in the same file", async () => {
    const pages = ["p2", "p3", null].map((next) => JSON.stringify({ value: rows(2), next }));
    const options = ["--json-path", "value", "--on-repeat", "last"];
    expect((await check(pages.join("\n"), ...options)).stderr).not.toContain("page of an answer");
    expect((await check(pages.slice(0, 2).join("\n"), ...options)).stderr).toMatch(note);
  });
});

describe("a field of the service inside an object of a record", () => {
  const WRAPPED = '[{"order":{"cle":"A","date_billed":"2016-07-05"}},{"order":{"cle":"B","num_invoice":7}}]';

  it.each([[[]], [["--other-columns", "send"]]])("is asked about, the key too, with %j", async (options) => {
    const { code, stderr, records } = await check(WRAPPED, "--flatten", ...options);
    expect([code, records]).toEqual([3, []]);
    expect(stderr).toContain('member "order_cle" may be the key cle, which has no member: is it?');
    expect(stderr).toContain("2 updates, 0 creates: --map order_cle=cle");
    // Any other member is a column like others.
    expect(stderr).not.toContain("=date_billed");
    expect(stderr).not.toContain("rec-push init");
  });

  it("is that field once the answers are given", async () => {
    const maps = ["--map", "order_cle=cle", "--map", "order_date_billed=date_billed"];
    maps.push("--map", "order_num_invoice=num_invoice");
    const { records } = await check(WRAPPED, "--flatten", ...maps);
    expect(records).toEqual([
      { cle: "A", date_billed: "2016-07-05" },
      { cle: "B", num_invoice: "7" },
    ]);
  });

  it("is another field where the record has the key, or where all are new", async () => {
    const other = '{"num_commande":"1","customer":{"cle":"K"}}';
    const asCreates = await check(other, "--flatten", "--only", "creates", "--other-columns", "send");
    expect(asCreates.records).toEqual([{ num_commande: "1", customer_cle: "K" }]);
    const keyed = other.replace("{", '{"cle":"A",');
    const { records } = await check(keyed, "--flatten", "--other-columns", "send");
    expect(records).toEqual([{ cle: "A", num_commande: "1", customer_cle: "K" }]);
  });
});
