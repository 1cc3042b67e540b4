import { describe } from "vitest";
import { shareOf } from "../support/draws.ts";
import { scenario } from "../support/scenario.ts";

/** A command whose time grows with the size ends within a second or two; one whose time grows faster takes longer than this. */
const TIMEOUT_MS = 40_000;

/** A table may have 2,000 columns. */
const MANY = 1998;

/** What is checked, the words of the command, how it ends and what it says. */
type Case = readonly [name: string, content: string, words: string, exit: number, ...says: string[]];
const CASES: (() => void)[] = [];
/** A scenario of which a share is taken by day. */
const later: typeof scenario = (...given) => void CASES.push(() => scenario(...given));

/** What the config declares for the fields of the table. */
type Fields = Readonly<Record<string, object>>;

const all = (count: number, of: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => of(at));

/** A table of one row with many columns. */
function wide(
  columns: number,
  name: (at: number) => string,
  cell: (at: number) => string = () => "x",
): string {
  const names = all(columns, name);
  return `cle;${names.join(";")}\nK1;${names.map((_, at) => cell(at)).join(";")}\n`;
}

/** One option many times. */
const each = (count: number, option: string, value: (at: number) => string): string =>
  all(count, (at) => `${option} ${value(at)}`).join(" ");

function checks([name, content, words, exit, ...says]: Case, fields: Fields = {}): void {
  const config = JSON.stringify({ tables: { t: { fields } } });
  later(name, { "a.csv": content, "rec-push.config.json": config }, [
    [`check a.csv --table t ${words}`, exit, ...says],
  ]);
}

/** Half of the columns is written in one way, half in another. */
const halves = (name: string, ...cells: readonly [string, string]): string =>
  wide(
    MANY,
    (at) => name.replace("#", String(at)),
    (at) => cells[at % 2]!,
  );
const open = (name: string, cells: readonly [string, string], question: string): Case => [
  `has half of its columns open, whatever the other half says: ${question}`,
  halves(name, ...cells),
  "",
  3,
  `${MANY / 2} questions about its columns`,
  `column "${name.replace("#", String(MANY - 2))}": `,
  question,
];
const noSuch = (option: string, value: (at: number) => string): Case => [
  `has many options ${option} that name none`,
  wide(MANY, (at) => `col${at}`),
  each(MANY, option, value),
  2,
  `nope${MANY - 1}`,
];

checks([
  "has its number of columns reported if there are too many",
  wide(130_000, (at) => `x${at.toString(36)}`),
  "",
  3,
  "export only the columns that the service needs",
  "a table may have 2,000 columns, this one has 130,001, the last ",
]);
const asking: readonly Case[] = [
  ["has names that no field can have", wide(MANY, (at) => `Col|${at}`), "", 3, "no name that a field can"],
  [
    "has no header",
    wide(MANY, String).replaceAll(/cle|K1/g, "1"),
    "--no-header",
    3,
    "questions about its columns",
  ],
  [
    "has a constant for each",
    wide(MANY, (at) => `c${at}`),
    each(MANY, "--set", (at) => `c${at}=1`),
    2,
    `${MANY} questions`,
  ],
];
const none: readonly Case[] = [
  noSuch("--type", (at) => `nope${at}=text`),
  noSuch("--map", (at) => `nope${at}=f${at}`),
];
const halfOpen: readonly Case[] = [
  open("n#_amount", ["1,234", "1,25"], 'line 2 "1,234" is 1.234 or 1234'),
  open("date_#", ["16/07/05", "2016-07-05"], "or 5 July 2016"),
];
for (const one of [...asking, ...none, ...halfOpen]) checks(one);
const declared = (name: string, fields: object): Fields =>
  Object.fromEntries(all(MANY, (at) => `${name}_${at}`).map((field) => [field, fields]));
checks(
  [
    "has each column's misspelt field found among as many that are declared",
    wide(MANY, (at) => `colone_${at}`),
    "",
    3,
    `looks like the field colonne_${MANY - 1},`,
  ],
  declared("colonne", {}),
);
checks(
  [
    "has as many fields that are required and missing",
    wide(MANY, (at) => `col${at}`),
    "",
    3,
    `the field needed_${MANY - 1} is required`,
  ],
  declared("needed", { required: true }),
);
checks([
  "has half of its dates settled by the other half",
  halves("date_#", "01/02/2016", "13/02/2016"),
  "",
  0,
  'DD/MM/YYYY (settled by the columns "date_1", "date_3"',
  `and ${MANY / 2 - 5} others)`,
]);

for (const part of ["1.", "1 ", "€", "a", "-"])
  checks([
    `may hold a cell of ${JSON.stringify(part)} again and again`,
    `cle,actual_billable_amount\nA1,${part.repeat(600_000 / part.length)}1\nA2,5\n`,
    "",
    3,
    "1 of 2 rows is invalid",
  ]);

const rows = (count: number, members: (row: number) => object): string =>
  all(count, (row) => `${JSON.stringify({ cle: `K${row}`, ...members(row) })}\n`).join("");
const spaces = " \u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007".split("");
const blank = (at: number): string =>
  Array.from(String(at), (digit) => spaces[Number(digit)]).join("") + "\u3000";
const inOneRow = (names: (at: number) => string, value: unknown) =>
  Object.fromEntries(all(1900, names).map((name) => [name, value]));
for (const [name, count, members] of [
  ["may have each of many rows name one of them", 3_000, (row: number) => ({ [`m${row % 1900}`]: "x" })],
  [
    "may have them all in one row",
    3_000,
    (row: number) => (row > 0 ? { m0: "x" } : inOneRow((at) => `m${at}`, "x")),
  ],
  [
    "may have as many members whose names are only spaces",
    2_000,
    (row: number) => ({ num_commande: `${row}`, ...(row === 0 ? inOneRow(blank, null) : {}) }),
  ],
] as const) {
  const ready = `${count.toLocaleString("en")} rows read: ${count.toLocaleString("en")} ready to send`;
  checks([name, rows(count, members), "", 0, ready]);
}
later("may have each row name others", { "a.ndjson": rows(1900, (row) => ({ [`m${row}`]: "x" })) }, [
  ["check a.ndjson a.ndjson", 0, "3,800 rows read: 3,800 ready to send"],
]);

checks([
  "may repeat an option any number of times",
  "cle;a\nK1;x\n",
  each(50_000, "--null", (at) => `N${at}`),
  0,
  "1 row read: 1 ready to send",
]);
const url = `http://127.0.0.1:1${"/".repeat(120_000)}x`;
later(
  "may name a URL with as many slashes as fit",
  {
    "a.csv": "cle;num_commande\nK1;1\n",
    "c.json": JSON.stringify({ profiles: { p: { url } } }),
  },
  [[`push a.csv --config c.json --profile p --url ${url} --retries 0`, 7]],
);

for (const [name, ends] of [
  ["carriage returns", "\r".repeat(200_000)],
  ["line ends", "\n".repeat(300_000)],
] as const)
  checks([
    `may hold nothing but ${name} for long`,
    `cle;num_commande${ends[0]!}K1;1${ends}K2;2${ends[0]!}`,
    "",
    0,
    "2 rows read: 2 ready to send",
  ]);
checks([
  "may mix its line ends",
  `cle;num_commande\n${all(200_000, (at) => `K${at};1${["\n", "\r\n", "\r"][at % 3]!}`).join("")}`,
  "",
  0,
  "200,000 rows read: 200,000 ready to send",
]);
const letter = `e${"\u0301\u0323".repeat(100_000)}`;
const accents = (header: string, cell: string): string => `cle;${header};num_commande\nK1;;1\nK2;${cell};2\n`;
checks([
  "may have as many accents on one letter as fit into a date",
  accents("date_billed", `5 ${letter} 2016`),
  "--on-invalid skip",
  4,
]);
later(
  "may have a row of many MB, over many lines",
  {
    "a.csv": `cle;x\nK1;"${"y\n".repeat(1_000_000)}"\n`,
    "rec-push.config.json": '{"tables":{"t":{"maxRowBytes":100000000}}}',
  },
  [["check a.csv --table t --map x=x", 0, "1 row read: 1 ready to send"]],
);

describe("a table, a file or a command that is large in one way", { timeout: TIMEOUT_MS }, () => {
  for (const takeCase of shareOf(CASES, 10)) takeCase();
});
