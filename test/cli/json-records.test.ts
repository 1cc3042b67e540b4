import { describe } from "vitest";
import { edit, faults, holds, nothingSent, scenario, type Step, write } from "../support/scenario.ts";

const ORDER =
  '{"cle":"F1","num_commande":"551035","lines":[{"cle":"L1","num_commande":"1"},{"num_commande":"2"}]}';
const NESTED = '{"cle":"F1","customer":{"email":"a@b","tags":[1]},"num_commande":"551035"}';
const BILLING =
  '[{"cle":"F0","num_commande":"1","billing":{"mail":"a@x"}},{"cle":"F1","num_commande":"1","billing":[]}]';
const RECORDS = "check a.json --records -";

const ROWS = [ORDER.replace('"lines"', '"note":"x","lines"'), ORDER];
scenario(
  "an order with its lines sends neither unasked, and the advice names a path only where one leads to the lines",
  { "a.json": ORDER, "a.ndjson": ROWS.join("\n"), "b.json": `[${ROWS.join(",")}]` },
  [
    ["push a.json --on-invalid skip", 3, "--drop lines"],
    nothingSent,
    [`${RECORDS} --drop lines`, 0, /^{"cle":"F1","num_commande":"551035"}\n\n/],
    [`${RECORDS} --json-path lines`, 0, /^{"cle":"L1","num_commande":"1"}\n{"num_commande":"2"}\n\n/],
    ["check a.ndjson", 3, "--json-path lines sends the records in the array instead"],
    ["check a.ndjson --json-path lines", 0],
    ["check b.json", 3, "--drop lines", { not: "--json-path" }],
  ],
);

describe("the answer of a service", () => {
  const text =
    '{"items":[{"cle":"C1","num_commande":"1"},{"cle":"C2","num_commande":"2"}],"search_criteria":{"a":1}}';
  scenario("gets no advice that gives up the records in it", { "a.json": text }, [
    ["check a.json", 3, "  --json-path items", { not: / add |--yes/ }],
    ["check a.json --json-path items", 0, "2 rows"],
  ]);
  const byId = '{"1001":{"cle":"C1","num_commande":"1"},"1002":{"cle":"C2","num_commande":"2"}}';
  scenario(
    "stops where records stand under their ids, and no advice sends one of them alone",
    {
      "a.json": byId,
      "b.json": `{"orders":${byId}}`,
      "c.json": '[{"cle":"F1","num_commande":"1"}]',
    },
    [
      ["check a.json", 3, '"1001" holds JSON objects', { not: "--json-path" }],
      ["check b.json", 3, "add --json-path orders"],
      ["check c.json --format ndjson", 3, "--format json, if the file is one array"],
      ["check c.json --format json", 0],
    ],
  );

  const rows = Array.from({ length: 3 }, (_, at) => ({ cle: `C${at}`, num_commande: "551035" }));
  const note = "note: the file is one page of an answer: the rows of the next";
  scenario(
    "is pushed with a note, under --quiet too, that it is one page, and without where it is the last",
    {
      "a.json": JSON.stringify({ count: 900, next: "https://shop/?page=2", value: rows }),
      "b.json": JSON.stringify({ value: rows, paging: { next: { after: "512" } } }),
      "c.json": JSON.stringify({ data: { orders: { nodes: rows, pageInfo: { hasNextPage: true } } } }),
      "last.json": JSON.stringify({
        count: 90,
        next: null,
        has_more: false,
        links: { next: "" },
        value: rows,
      }),
    },
    [
      ["check a.json --quiet", 0, note, '"next": "https://shop/?page=2"'],
      ["check b.json --quiet --json-path value", 0, note],
      ["check c.json --quiet --json-path data.orders.nodes", 0, note],
      ["check last.json --json-path value", 0, { not: note }],
    ],
  );
  const pages = ["p2", "p3", null].map((next) => JSON.stringify({ value: rows, next }));
  scenario(
    "has no such note where the pages follow in the same file",
    { "a.ndjson": pages.join("\n"), "b.ndjson": pages.slice(0, 2).join("\n") },
    [
      ["check a.ndjson --json-path value --on-repeat last", 0, { not: note }],
      ["check b.ndjson --json-path value --on-repeat last", 0, note],
    ],
  );
});

describe("nested members", () => {
  scenario("are settled by one ready line that works", { "a.json": NESTED }, [
    ["check a.json", 3, "add --flatten\n"],
    ["check a.json --flatten", 3, "add --drop customer_tags\n"],
    [
      `${RECORDS} --flatten --drop customer_tags`,
      0,
      /^{"cle":"F1","customer_email":"a@b","num_commande":"551035"}\n\n/,
    ],
    [`${RECORDS} --flatten --drop customer`, 0, /^{"cle":"F1","num_commande":"551035"}\n\n/],
    write("rec-push.config.json", '{"tables":{"t":{"flatten":true,"drop":["customer_tags"]}}}'),
    [`${RECORDS} -t t`, 0, '"customer_email":"a@b"'],
  ]);
  scenario(
    "that hold nothing in some records give up neither the others nor the file",
    { "a.json": BILLING },
    [
      [">check a.json", 3, "add --flatten\n"],
      [
        ">check a.json --records - --flatten --type billing_mail=text",
        0,
        '"billing_mail":"a@x"}\n{"cle":"F1","num_commande":"1"}\n',
      ],
      ["check a.json --drop billing", 0, "2 rows"],
    ],
  );
  scenario(
    "are flattened again by a run that is taken up, and another command without the option is told apart",
    { "a.json": '{"cle":"F1","customer":{"email":"a@b"}}\n{"cle":"F2","num_commande":"1"}\n' },
    [
      faults("status=401"),
      ["push a.json --flatten", 5],
      faults(),
      ["push a.json --drop customer", 2, "--flatten: yes then, no now"],
      ["resume", 0],
    ],
    [
      { cle: "F1", customer_email: "a@b" },
      { cle: "F2", num_commande: "1" },
    ],
  );
  scenario(
    "are flattened in the mended rejects, which hold the records themselves",
    {
      "a.json":
        '{"result":{"data":[{"cle":"F1","a":{"n_amount":"x"}},{"cle":"F2","a":{"n_amount":"2.00"}}]}}',
      "rec-push.config.json":
        '{"tables":{"commandes":{"jsonPath":"result.data","flatten":true,"decimal":"."}}}',
    },
    [
      ["push a.json --on-invalid skip", 4],
      edit("a.rejects.ndjson", '"n_amount":"x"', '"n_amount":"1.00"'),
      ["push a.rejects.ndjson --format ndjson", 0],
    ],
    [
      { cle: "F1", a_n_amount: "1.00" },
      { cle: "F2", a_n_amount: "2.00" },
    ].toReversed(),
  );
});

describe("a field of the service inside an object of a record", () => {
  const wrapped = '[{"order":{"cle":"A","date_billed":"2016-07-05"}},{"order":{"cle":"B","num_invoice":7}}]';
  const other = '{"num_commande":"1","customer":{"cle":"K"}}';
  scenario("is asked about, and is that field once the answers are given", { "a.json": wrapped }, [
    [
      "check a.json --flatten",
      3,
      'member "order_cle" may be the key cle, which has no member: is it?',
      "2 updates, 0 creates: --map order_cle=cle",
      // Any other member is a column like others.
      { not: "=date_billed" },
      { not: "rec-push init" },
    ],
    [
      `${RECORDS} --flatten --map order_cle=cle --map order_date_billed=date_billed --map order_num_invoice=num_invoice`,
      0,
      /^{"cle":"A","date_billed":"2016-07-05"}\n{"cle":"B","num_invoice":"7"}\n\n/,
    ],
  ]);
  scenario("is another field where the record has the key, or where all are new", { "a.json": other }, [
    [`${RECORDS} --flatten --only creates`, 0, /^{"num_commande":"1","customer_cle":"K"}\n\n/],
    write("a.json", other.replace("{", '{"cle":"A",')),
    [`${RECORDS} --flatten`, 0, /^{"cle":"A","num_commande":"1","customer_cle":"K"}\n\n/],
  ]);
});

describe("what is wrong with a member", () => {
  scenario(
    "has the name of the member and no position",
    {
      "a.json": '[{"num_commande":"x"},\n{"num_commande":"y"}]',
      "b.json": '[{"z":1,"num_commande":"1","num_commande":"2"}]',
    },
    [
      ["check a.json", 3, 'a.json: 2 x member "num_commande" holds "x", "y": ', { not: /column [\d"]/ }],
      ["check b.json", 3, 'b.json:1: member "num_commande": is given twice'],
    ],
  );

  const orders = Array.from({ length: 60 }, (_, at) => ({ cle: `C${at + 1}`, amount_paid: `${at}.50` }));
  const flawed = (...positions: readonly number[]): object[] =>
    orders.map((order, at) => (positions.includes(at + 1) ? { ...order, amount_paid: `x${at}` } : order));
  const push = "push a.json --type amount_paid=amount --decimal .";
  const rows = (...all: readonly object[]): Step => write("a.json", JSON.stringify(all));
  scenario("is told apart where it looks like a total, without an option for the last lines of a table", {}, [
    rows(...orders, { libelle: "Total", amount_paid: "1800.00" }),
    [
      `${push} --type libelle=text`,
      3,
      'record 61, holds "Total": the row looks like a total',
      { not: "--skip-footer" },
    ],
  ]);
  scenario("has the number of the record where a line holds several, in the report too", {}, [
    rows(...flawed(57)),
    [push, 3, 'a.json:1: record 57, member "amount_paid" holds "x56"'],
    [`${push} --on-invalid skip --json`, 4, /"event":"reject".*"line":1,"record":57/],
    rows(...flawed(1, 57, 60)),
    [`${push} --report r.html`, 3, /3 x member "amount_paid" .*, records 1, 57, 60$/m],
    holds("r.html", "records 1, 57, 60"),
    write("a.json", JSON.stringify([...orders, 5])),
    [push, 3, "a.json:1: record 61: a number is where a row should be"],
    write(
      "a.json",
      `[\n${flawed(57, 60)
        .map((order) => JSON.stringify(order))
        .join(",\n")}]`,
    ),
    [push, 3, /2 x member .*, lines 58, 61$/m],
  ]);
});
