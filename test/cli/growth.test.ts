import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { shareOf } from "../support/draws.ts";
import { type MainResult, runMain } from "../support/run-main.ts";
import { configWords, makeDirectory, makeFile } from "../support/temp-files.ts";

/** A command whose time grows with the size ends within a second or two; one whose time grows faster takes longer than this. */
const TIMEOUT_MS = 40_000;

/** A table may have 2,000 columns. */
const MANY = 1998;

/** Checks a file with this content, and a config beside it if there is one. */
async function check(
  content: string,
  argv: readonly string[] = [],
  fields?: Readonly<Record<string, object>>,
): Promise<MainResult> {
  const directory = await makeDirectory();
  const file = join(directory, "a.csv");
  await writeFile(file, content);
  const config = join(directory, "rec-push.config.json");
  await writeFile(config, JSON.stringify({ tables: fields === undefined ? {} : { t: { fields } } }));
  const options = fields === undefined ? [] : ["--config", config, "--table", "t"];
  return runMain(["check", file, ...options, ...argv]);
}

/** A table of one row with many columns. */
function wide(
  columns: number,
  name: (at: number) => string,
  cell: (at: number) => string = () => "x",
): string {
  const names = Array.from({ length: columns }, (_, at) => name(at));
  return `cle;${names.join(";")}\nK1;${names.map((_, at) => cell(at)).join(";")}\n`;
}

/** An option for each of many columns. */
function each(count: number, option: string, value: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => [option, value(at)]).flat();
}

const fieldsOf = (count: number, name: (at: number) => string, declared: object) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), declared]));

describe("a table with many columns", { timeout: TIMEOUT_MS }, () => {
  it("has its number of columns reported if there are too many", async () => {
    const { code, stderr } = await check(wide(130_000, (at) => `x${at.toString(36)}`));
    expect(code).toBe(3);
    expect(stderr).toContain("export only the columns that the service needs");
    expect(stderr).toContain("a table may have 2,000 columns, this one has 130,001, the last ");
  });

  const asking: readonly (readonly [string, string, string[], string])[] = [
    ["whose names can be no fields", wide(MANY, (at) => `Col | ${at}`), [], "no name that a field can have"],
    [
      "without header",
      wide(MANY, String).replaceAll(/cle|K1/g, "1"),
      ["--no-header"],
      "questions about its columns",
    ],
    [
      "all of them with a constant too",
      wide(MANY, (at) => `c${at}`),
      each(MANY, "--set", (at) => `c${at}=1`),
      `${MANY} questions`,
    ],
  ];
  it.each(shareOf(asking, 1))("%s ends with a question", async (_, content, argv, question) => {
    const { code, stderr } = await check(content, argv);
    expect(code).toBeOneOf([2, 3]);
    expect(stderr).toContain(question);
  });

  it.each(shareOf(["--type", "--drop", "--keep", "--map"], 1))(
    "has many options %s that name none",
    async (option) => {
      const value = option === "--map" ? "=f" : option === "--type" ? "=text" : "";
      const argv = each(MANY, option, (at) => `nope${at}${value}${option === "--map" ? at : ""}`);
      const { code, stderr } = await check(
        wide(MANY, (at) => `col${at}`),
        argv,
      );
      expect(code).toBe(2);
      expect(stderr).toContain(`nope${MANY - 1}`);
    },
  );

  it("has each column's misspelt field found among as many that are declared", async () => {
    const fields = fieldsOf(MANY, (at) => `colonne_${at}`, {});
    const { code, stderr } = await check(
      wide(MANY, (at) => `colone_${at}`),
      [],
      fields,
    );
    expect(code).toBe(3);
    expect(stderr).toContain(`looks like the field colonne_${MANY - 1},`);
  });

  it("has as many fields that are required and missing", async () => {
    const fields = fieldsOf(MANY, (at) => `needed_${at}`, { required: true });
    const { code, stderr } = await check(
      wide(MANY, (at) => `col${at}`),
      [],
      fields,
    );
    expect(code).toBe(3);
    expect(stderr).toContain(`the field needed_${MANY - 1} is required`);
  });

  it("has half of its dates settled by the other half", async () => {
    const cells = ["01/02/2016", "13/02/2016"];
    const { code, stdout } = await check(
      wide(
        MANY,
        (at) => `date_${at}`,
        (at) => cells[at % 2]!,
      ),
    );
    expect(code).toBe(0);
    expect(stdout).toContain('DD/MM/YYYY (settled by the columns "date_1", "date_3"');
    expect(stdout).toContain(`and ${MANY / 2 - 5} others)`);
  });

  const open: readonly (readonly [string, (at: number) => string, readonly [string, string], string])[] = [
    ["amounts", (at: number) => `n${at}_amount`, ["1,234", "1,25"], 'line 2 "1,234" is 1.234 or 1234'],
    [
      "centuries",
      (at: number) => `date_${at}`,
      ["13/07/45", "2016-07-05"],
      "is 13 July 1945 or 13 July 2045",
    ],
    ["years in front", (at: number) => `date_${at}`, ["16/07/05", "2016-07-05"], "or 5 July 2016"],
  ];
  it.each(shareOf(open, 1))(
    "has half of its %s open, whatever the other half says",
    async (_, name, cells, question) => {
      const { code, stderr } = await check(wide(MANY, name, (at) => cells[at % 2]!));
      expect(code).toBe(3);
      expect(stderr).toContain(`${MANY / 2} columns are not certain`);
      expect(stderr).toContain(`column "${name(MANY - 2)}": `);
      expect(stderr).toContain(question);
    },
  );

  it("shares the words that mean no value", async () => {
    const words = Array.from({ length: 16_000 }, (_, at) => `N${at}`).join(",");
    const { code, stdout } = await check(
      wide(MANY, (at) => `col${at}`),
      ["--null", words],
    );
    expect(code).toBe(0);
    expect(stdout).toContain("1 row read: 1 ready to send");
  });
});

describe("JSON with many member names", { timeout: TIMEOUT_MS }, () => {
  const rows = (count: number, members: (row: number) => object): string =>
    Array.from(
      { length: count },
      (_, row) => `${JSON.stringify({ cle: `K${row}`, ...members(row) })}\n`,
    ).join("");

  it.each([
    ["may have each of many rows name one of them", rows(3_000, (row) => ({ [`m${row % 1900}`]: "x" }))],
    [
      "may have them all in one row",
      rows(3_000, (row) =>
        row > 0 ? { m0: "x" } : Object.fromEntries(Array.from({ length: 1900 }, (_, at) => [`m${at}`, "x"])),
      ),
    ],
  ])("%s", async (_, content) => {
    const { code, stdout } = await check(content);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[\d,]+ rows read: [\d,]+ ready to send/m);
  });

  it("may have as many members whose names are only spaces", async () => {
    const spaces = " \u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007".split("");
    const name = (at: number): string => Array.from(String(at), (digit) => spaces[Number(digit)]).join("");
    const blank = Object.fromEntries(Array.from({ length: 1900 }, (_, at) => [`${name(at)}\u3000`, null]));
    const { code } = await check(
      rows(2_000, (row) => ({ num_commande: `${row}`, ...(row === 0 ? blank : {}) })),
    );
    expect(code).toBe(0);
  });

  it("may have each row name others", async () => {
    const path = join(await makeDirectory(), "a.ndjson");
    await writeFile(
      path,
      rows(1900, (row) => ({ [`m${row}`]: "x" })),
    );
    const files = [path, path];
    const { code, stdout } = await runMain(["check", ...files]);
    expect(code).toBe(0);
    expect(stdout).toContain("3,800 rows read: 3,800 ready to send");
  });
});

it("an option may be repeated any number of times", { timeout: TIMEOUT_MS }, async () => {
  const file = await makeFile("a.csv", "cle;a\nK1;x\n");
  const { code, stdout } = await runMain(["check", file, ...each(50_000, "--null", (at) => `N${at}`)]);
  expect(code).toBe(0);
  expect(stdout).toContain("1 row read: 1 ready to send");
});

it("a URL may hold as many slashes as fit", { timeout: TIMEOUT_MS }, async () => {
  const file = await makeFile("a.csv", "cle;num_commande\nK1;1\n");
  const url = `http://127.0.0.1:1${"/".repeat(120_000)}x`;
  const config = await makeFile("c.json", JSON.stringify({ profiles: { p: { url } } }));
  const argv = [
    "push",
    file,
    "-t",
    "t",
    "--config",
    config,
    "--profile",
    "p",
    "--url",
    url,
    "--retries",
    "0",
  ];
  const { code } = await runMain(argv, { env: { REC_PUSH_TOKEN: "some-token" } });
  expect(code).toBe(7);
});

describe("a file", { timeout: TIMEOUT_MS }, () => {
  it.each([
    ["nothing but carriage returns", `\r${"\r".repeat(200_000)}`],
    ["nothing but line ends", `\n${"\n".repeat(1_000_000)}`],
  ])("may hold %s for long", async (_, ends) => {
    const { code, stdout } = await check(`cle;num_commande${ends[0]!}K1;1${ends}K2;2${ends[0]!}`);
    expect(code).toBe(0);
    expect(stdout).toContain("2 rows read: 2 ready to send");
  });

  it("may mix its line ends", async () => {
    const rows = Array.from({ length: 200_000 }, (_, at) => `K${at};1${["\n", "\r\n", "\r"][at % 3]!}`);
    const { stdout } = await check(`cle;num_commande\n${rows.join("")}`);
    expect(stdout).toContain("200,000 rows read: 200,000 ready to send");
  });

  it.each(["a header", "a date"])("may have as many accents on one letter as fit into %s", async (place) => {
    const letter = `e${"\u0301\u0323".repeat(100_000)}`;
    const [header, cell] = place === "a header" ? [letter, "x"] : ["date_billed", `5 ${letter} 2016`];
    const options = place === "a header" ? ["--drop", "2"] : ["--on-invalid", "skip"];
    const { code } = await check(`cle;${header};num_commande\nK1;;1\nK2;${cell};2\n`, options);
    expect(code).toBe(place === "a header" ? 0 : 4);
  });

  it("may have a row of many MB, over many lines", async () => {
    const { code, stdout } = await check(`cle;x\nK1;"${"y\n".repeat(1_000_000)}"\n`, [
      "--map",
      "x=x",
      "--table",
      "commandes",
      ...(await configWords({ maxRowBytes: 100_000_000 })),
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain("1 row read: 1 ready to send");
  });
});
