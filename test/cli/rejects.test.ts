import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeDirectory, makeFile, pipeBeside } from "../support/temp-files.ts";

const PREFIX = ["_rejected_line", "_rejected_field", "_rejected_reason", "_later_line"];

interface Rejected {
  readonly code: number;
  readonly bytes: Buffer;
  readonly text: string;
  readonly command: string;
  readonly stdout: string;
}

/** Pushes content with a faulty row and returns the rejects file. */
async function rejectsOf(
  name: string,
  content: string | Buffer,
  argv: readonly string[] = [],
  encoding = "utf8",
): Promise<Rejected & { readonly path: string }> {
  const sandbox = await openSandbox();
  const file = await makeFile(name, content);
  const path = join(dirname(file), "rejects.out");
  const { code, stdout } = await pushTo(sandbox, [file, "--on-invalid", "skip", "--rejects", path, ...argv]);
  const bytes = await readFile(path);
  const command = /then push that file[^:]*: (rec-push .*)/.exec(stdout)?.[1] ?? "";
  return { code, bytes, text: iconv.decode(bytes, encoding, { stripBOM: false }), path, command, stdout };
}

describe("the rejects file of a CSV", () => {
  it.each([
    ["commas", "cle,n_amount\nA1,1.50\nA2,abc\n", "A2,abc\n", ",", '"'],
    ["semicolons, CRLF", "cle;n_amount\r\nA1;1,50\r\nA2;abc\r\n", "A2;abc\r\n", ";", '"'],
    ["tabs, old line ends", "cle\tn_amount\rA1\t1.50\rA2\tabc\r", "A2\tabc\r", "\t", '"'],
    ["a last line without end", "cle,n_amount\nA1,1.50\nA2,abc", "A2,abc\n", ",", '"'],
    ["mixed line ends", "cle,n_amount\r\nA1,1.50\nA2,abc\r\nA3,2.5", "A2,abc\r\n", ",", '"'],
    ["doubled quotes", 'cle,n_amount,t\nA1,1.50,x\nA2,abc,"a ""b"", c"\n', 'A2,abc,"a ""b"", c"\n', ",", '"'],
    [
      "cells of several lines",
      'cle,t,n_amount\n"A\n1",x,1.50\nA2,"one\r\ntwo\n\nfour",abc\nA3,x,2.50\n',
      'A2,"one\r\ntwo\n\nfour",abc\n',
      ",",
      '"',
    ],
    [
      "backslash escapes",
      'cle,t,n_amount\nA1,"x \\"y\\", z",1.50\nA2,"a \\"b\\", c",abc\n',
      'A2,"a \\"b\\", c",abc\n',
      ",",
      '"',
    ],
  ])("keeps the text of the row as it was: %s", async (_, content, row, delimiter, quote) => {
    const { code, text } = await rejectsOf("a.csv", content);
    expect(code).toBe(4);
    const [header = ""] = /^.*?(?:\r\n|\n|\r)/.exec(content) ?? [];
    const head = `${PREFIX.join(delimiter)}${delimiter}${header}`;
    expect(text.startsWith(head)).toBe(true);
    const rest = text.slice(head.length);
    expect(rest.endsWith(row)).toBe(true);
    const cells = rest.slice(0, rest.length - row.length);
    const line = content.slice(0, content.indexOf(row.trimEnd())).split(/\r\n|\n|\r/).length;
    expect(cells).toBe(
      [line, "n_amount", `${quote}${cells.split(quote)[1]}${quote}`, "", ""].join(delimiter),
    );
  });

  it.each([
    ["windows-1252", "cle;libellé;date_billed\nA1;café 5 €;13/07/2016\nA2;œuf à la coque;31/02/2016\n", []],
    [
      "cp850",
      "cle;libellé;date_billed\nA1;é;13/07/2016\nA2;à la coque ½;31/02/2016\n",
      ["--encoding", "cp850"],
    ],
    [
      "iso-8859-15",
      "cle;libellé;date_billed\nA1;€;13/07/2016\nA2;œuf;31/02/2016\n",
      ["--encoding", "iso-8859-15"],
    ],
  ])("keeps the encoding %s", async (encoding, content, argv) => {
    const original = iconv.encode(content, encoding);
    const { bytes, command } = await rejectsOf("a.csv", original, [...argv, "--map", "libellé=libelle"]);
    const row = iconv.encode(content.split("\n")[2]!, encoding);
    expect(bytes.includes(row)).toBe(true);
    expect(command).toContain(`--encoding ${encoding}`);
  });

  it.each([
    ["utf-8", true],
    ["utf-8", false],
    ["utf-16le", true],
    ["utf-16be", true],
  ])("keeps %s, byte order mark: %s", async (encoding, addBOM) => {
    const content = "cle,libelle,date_billed\nA1,é😀,2016-07-13\nA2,😀é,2016-02-31\n";
    const { bytes } = await rejectsOf("a.csv", iconv.encode(content, encoding, { addBOM }));
    const text = iconv.decode(bytes, encoding, { stripBOM: false });
    expect(text).toBe(
      `${addBOM ? "\ufeff" : ""}${PREFIX.join(",")},cle,libelle,date_billed\n3,date_billed,"31 February is not a date",,A2,😀é,2016-02-31\n`,
    );
  });

  it("keeps the lines above the header, and the delimiters of a padded table", async () => {
    const content = "Export;;;\nsous-titre;;;\ncle;n;d_amount;\nA1;1;2,5;\nA2;1;x;\n";
    const { text, command } = await rejectsOf("a.csv", content);
    expect(text).toBe(
      `Export;;;\nsous-titre;;;\n${PREFIX.join(";")};cle;n;d_amount;\n5;d_amount;"it is not an amount";;A2;1;x;\n`.replace(
        /"it is.*?"/,
        /"[^"]*"/.exec(text.split("\n")[3]!)![0],
      ),
    );
    expect(command).toContain("--header-line 3");
  });

  it("holds unreadable rows as they were, with all of their lines", async () => {
    const content =
      'cle,t,n\nA1,"x",1\nA2,"never closed,2\nA3,"y",3\nA4,"two\nlines","x" torn\nA5,"z",5\nA6,"b\n\nb"\nA7,"z",7\n';
    const { text } = await rejectsOf("a.csv", content);
    const rows = ['A2,"never closed,2\n', 'A4,"two\nlines","x" torn\n', 'A6,"b\n\nb"\n'];
    expect(text.split(/^\d+,,"(?:[^"]|"")*",,/m).slice(1)).toEqual(rows);
  });

  it("names the columns of a file without header by position", async () => {
    const { text, command } = await rejectsOf("a.csv", "A1;13/07/2016\nA2;31/02/2016\n", [
      "--no-header",
      "--map",
      "1=cle",
      "--map",
      "2=date_billed",
    ]);
    expect(text).toBe(`${PREFIX.join(";")};1;2\n2;date_billed;"31 February is not a date";;A2;31/02/2016\n`);
    expect(command).toContain("--map 1=cle --map 2=date_billed");
    expect(command).toContain("--header-line 1");
    expect(command).not.toContain("--no-header");
  });

  it("is not packed where the input is", async () => {
    const { text } = await rejectsOf("a.csv.gz", gzipSync("cle,n_amount\nA1,1\nA2,abc\n"));
    expect(text).toContain("A2,abc\n");
  });

  it("puts its cells before a row only once when a rejects file is pushed again", async () => {
    const first = await rejectsOf("a.csv", 'cle,n_amount,t\nA1,1,x\nA2,abc,"a,b"\nA3,def,x\n');
    const sandbox = await openSandbox();
    await writeFile(first.path, first.text.replace("abc", "7"));
    const again = join(await makeDirectory(), "again.csv");
    const argv = [first.path, "--on-invalid", "skip", "--rejects", again];
    expect((await pushTo(sandbox, argv)).code).toBe(4);
    const lines = (await readFile(again, "utf8")).split("\n");
    expect(lines[0]).toBe(`${PREFIX.join(",")},cle,n_amount,t`);
    expect(lines[1]).toMatch(/^3,n_amount,".*",,A3,def,x$/);
    expect(heldBy(sandbox)).toEqual([{ cle: "A2", n_amount: "7", t: "a,b" }]);
  });

  it("counts columns by their positions in the whole file", async () => {
    const options = ["--map", "2=date_billed", "--drop", "3"];
    const content = "cle,Le jour,Wort mit Raum\nA1,2016-07-13,x\nA2,2016-02-31,y\n";
    const first = await rejectsOf("a.csv", content, options);
    await writeFile(first.path, first.text.replace("02-31", "02-29"));
    const sandbox = await openSandbox();
    expect((await pushTo(sandbox, [first.path, ...options])).code).toBe(0);
    expect(heldBy(sandbox)).toEqual([{ cle: "A2", date_billed: "2016-02-29" }]);
  });
});

describe("the rejects file of JSON", () => {
  it.each([
    ["an array", (rows: readonly string[]) => `[${rows.join(", ")}]`, []],
    ["an indented array", (rows: readonly string[]) => `[\n  ${rows.join(",\n  ")}\n]\n`, []],
    ["NDJSON", (rows: readonly string[]) => rows.join("\n"), []],
    [
      "an object that holds the array",
      (rows: readonly string[]) => `{"count":4,"data":[${rows.join(",")}]}`,
      [],
    ],
    [
      "an object with several arrays",
      (rows: readonly string[]) => `{"old":[{"cle":"X"}],"data":[${rows.join(",")}]}`,
      ["--json-path", "data"],
    ],
  ])("is NDJSON with the members as they were written: %s", async (_, wrap, argv) => {
    const rows = [
      '{"cle":"A1","n_amount":1}',
      String.raw`{ "cle" : "A\u0032", "n_amount" : "x", "t":"a\"b,}{" , "z":1.50e1}`,
      '{"cle":"A3","n_amount":2}',
      '{"cle":"A4","n_amount":2,"cle":"A5"}',
    ];
    const { text, command } = await rejectsOf("a.json", wrap(rows), argv);
    const [first = "", second = "", ...rest] = text.split("\n");
    expect(first.replace(/^\{.*?"_later_line":"",/, "")).toBe(
      String.raw`"cle" : "A\u0032","n_amount" : "x","t":"a\"b,}{","z":1.50e1}`,
    );
    expect(second).toMatch(/"_rejected_field":"cle".*,"cle":"A4","n_amount":2,"cle":"A5"\}$/);
    expect(rest).toEqual([""]);
    expect(command).toContain("--format ndjson");
    expect(command).not.toContain("--json-path");
  });

  it("keeps what was no record, and a later push asks for it", async () => {
    const { path, text } = await rejectsOf("a.json", '[{"cle":"A1","t":"x"}, 42, "a\\n", [1,\n 2], null]');
    expect(text.match(/"_rejected_value":.*/g)).toEqual([
      '"_rejected_value":42}',
      String.raw`"_rejected_value":"a\n"}`,
      '"_rejected_value":[1, 2]}',
      '"_rejected_value":null}',
    ]);
    const sandbox = await openSandbox();
    const { code, stderr } = await pushTo(sandbox, [path]);
    expect(code).toBe(3);
    expect(stderr).toContain("rejects.out:1: _rejected_value holds an element that was not a row");
    expect(heldBy(sandbox)).toEqual([]);
  });

  it("is pushed with options that name members which only the whole file has", async () => {
    const options = ["--drop", "memo", "--type", "paid=date:DD/MM/YYYY"];
    const content = '[{"cle":"A1","memo":"x","paid":"13/07/2016"},{"cle":"A2","n_amount":"x"}]';
    const first = await rejectsOf("a.json", content, options);
    await writeFile(first.path, first.text.replace('"x"', '"1"'));
    const sandbox = await openSandbox();
    expect((await pushTo(sandbox, [first.path, ...options])).code).toBe(0);
    expect(heldBy(sandbox)).toEqual([{ cle: "A2", n_amount: "1" }]);
  });
});

describe("records that the service refused", () => {
  it("are among the rejected rows in file order, with the service's answer", async () => {
    const sandbox = await openSandbox({ faults: ["refuse=num_commande:3", "refuse=num_commande:1"] });
    const file = await makeFile("a.csv", "cle,num_commande\nA1,1\nA2,2\nA3,x\nA4,3\n,4\n");
    const path = join(dirname(file), "rejects.csv");
    const run = await pushTo(sandbox, [file, "--on-invalid", "skip", "--rejects", path, "--json"]);
    const rows = (await readFile(path, "utf8")).split("\n").slice(1, -1);
    expect(rows.map((row) => row.split(",")[0])).toEqual(["2", "4", "5"]);
    expect(rows[0]).toMatch(/^2,,"the service refused it \(\d+\): .*",,A1,1$/);
    expect(run.events().at(-1)).toMatchObject({
      rejectsFiles: [{ file, path, rows: 3, later: 0 }],
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readdir(dirname(path))).sort()).toEqual(["a.csv", "rejects.csv"]);
  });

  it("are told apart if all of them are in one line of JSON", async () => {
    const sandbox = await openSandbox({ faults: ["refuse=num_commande:2"] });
    const rows = [1, 2, 3].map((n) => `{"cle":"A${n}","num_commande":${n}}`);
    const file = await makeFile("a.json", `[${rows.join(",")}]`);
    const path = join(dirname(file), "rejects.ndjson");
    expect((await pushTo(sandbox, [file, "--rejects", path])).code).toBe(4);
    const written = (await readFile(path, "utf8")).split("\n");
    expect(written).toHaveLength(2);
    expect(written[0]).toContain('"cle":"A2","num_commande":2}');
  });

  it("leave no file where nothing was rejected or refused", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,t\nA1,x\n");
    const path = join(dirname(file), "rejects.csv");
    const run = await pushTo(sandbox, [file, "--rejects", path, "--json"]);
    expect(run.code).toBe(0);
    expect(run.events().at(-1)).toMatchObject({ rejectsFiles: [] });
    expect(await readdir(dirname(path))).toEqual(["a.csv"]);
  });
});

describe("rejects whose key had a later accepted row", () => {
  it("name its line, and are not pushed with the others", async () => {
    const sandbox = await openSandbox({ faults: ["refuse=num_commande:66"] });
    const content = "cle,num_commande\nA1,x\nA2,66\nA1,1\nA2,2\nA2,y\nA3,z\n";
    const file = await makeFile("a.csv", content);
    const path = join(dirname(file), "r.csv");
    const argv = [file, "--on-invalid", "skip", "--rejects", path];
    const { stdout } = await pushTo(sandbox, argv);
    const lines = async (name: string): Promise<string[]> =>
      (await readFile(join(dirname(file), name), "utf8")).split("\n").slice(1, -1);
    const rows = await lines("r.csv");
    expect(rows.map((row) => row.split(",").slice(-3))).toEqual([
      ["4", "A1", "x"],
      ["5", "A2", "66"],
      ["", "A2", "y"],
      ["", "A3", "z"],
    ]);
    expect(stdout).toContain("mend the 4 rows in");
    expect(stdout).toContain("delete 2 rows of them with a _later_line");
    sandbox.setFaults([]);
    const mended = (await readFile(path, "utf8"))
      .replace(",x\n", ",7\n")
      .replace(",y\n", ",8\n")
      .replace(",z\n", ",9\n");
    await writeFile(path, mended);
    expect(await pushTo(sandbox, [path])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/r\.csv:2: a later row with the same key \(line "4"\) was accepted/),
    });
    await writeFile(
      path,
      mended
        .split("\n")
        .filter((row) => !/,[45],A/.test(row))
        .join("\n"),
    );
    expect((await pushTo(sandbox, [path])).code).toBe(0);
    expect(heldBy(sandbox)).toEqual([
      { cle: "A1", num_commande: "1" },
      { cle: "A2", num_commande: "8" },
      { cle: "A3", num_commande: "9" },
    ]);
  });

  it("are found in a later file of the same command, and alone leave no other file", async () => {
    const sandbox = await openSandbox();
    const first = await makeFile("a.csv", "cle,num_commande\nA1,x\nA5,1\n");
    const second = await makeFile("b.csv", "cle,num_commande\nA1,1\n");
    const directory = join(await makeDirectory(), "rejects");
    const argv = [first, second, "--on-invalid", "skip", "--rejects", directory];
    expect((await pushTo(sandbox, argv)).code).toBe(4);
    expect(await readdir(directory)).toEqual(["a.rejects.csv"]);
    expect(await readFile(join(directory, "a.rejects.csv"), "utf8")).toContain(`,"${second}:2",A1,x`);
  });
});

describe("--rejects", () => {
  it("makes a directory with a file for each input, where there are several", async () => {
    const sandbox = await openSandbox();
    const one = await makeFile("a.csv", "cle,n_amount\nA1,1\nA2,x\n");
    const two = await makeFile("a.csv", "cle,n_amount\nB1,1\nB2,x\n");
    const three = await makeFile("b.json", '[{"cle":"C1","n_amount":1},{"cle":"C2","n_amount":"x"}]');
    const directory = join(await makeDirectory(), "rejects");
    await pushTo(sandbox, [one, two, three, "--on-invalid", "skip", "--rejects", directory]);
    expect((await readdir(directory)).sort()).toEqual([
      "a.rejects-2.csv",
      "a.rejects.csv",
      "b.rejects.ndjson",
    ]);
  });

  it.each([
    ["the input itself", (file: string) => Promise.resolve(file), "it is the file that is pushed"],
    ["a pipe", (file: string) => Promise.resolve(pipeBeside(file)), "it is not a regular file"],
    ["a directory that is not there", () => Promise.resolve("/no/such/r.csv"), "not a directory"],
    [
      "a link",
      async () => {
        const link = join(await makeDirectory(), "r.csv");
        await symlink(await makeFile("empty.csv", ""), link);
        return link;
      },
      "it is not a regular file",
    ],
  ])("refuses %s before anything is sent", async (_, placeOf, told) => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,n_amount\nA1,1\nA2,x\n");
    const run = await pushTo(sandbox, [file, "--on-invalid", "skip", "--rejects", await placeOf(file)]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(told);
    expect(sandbox.requests().requests).toBe(0);
  });

  it("leaves a file that holds rows as it is", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,n_amount\nA1,1\nA2,x\n");
    const path = await makeFile("r.csv", "mine\n");
    const { code, stderr } = await pushTo(sandbox, [file, "--on-invalid", "skip", "--rejects", path]);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(`${path} already exists and is left as it is`),
    ]);
    expect(await readFile(path, "utf8")).toBe("mine\n");
    expect(await readFile(path.replace(".csv", "-2.csv"), "utf8")).toContain("A2,x\n");
  });

  it("takes an empty file, as mktemp makes it", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,n_amount\nA1,1\nA2,x\n");
    const path = await makeFile("r.csv", "");
    expect((await pushTo(sandbox, [file, "--on-invalid", "skip", "--rejects", path])).code).toBe(4);
    expect(await readFile(path, "utf8")).toContain("A2,x\n");
  });

  it("writes nothing where invalid rows stop the run", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,n_amount\nA1,1\nA2,x\n");
    const path = join(dirname(file), "r.csv");
    expect((await pushTo(sandbox, [file, "--rejects", path])).code).toBe(3);
    expect(await readdir(dirname(file))).toEqual(["a.csv"]);
  });

  it("sends nothing where the rejects cannot be written", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,n_amount\nA1,1\nA2,x\n");
    const directory = join(dirname(file), "gone");
    await mkdir(directory);
    const path = join(directory, `${"x".repeat(250)}.csv`);
    const run = await pushTo(sandbox, [file, "--on-invalid", "skip", "--rejects", path]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("the rejects cannot be written to");
    expect(sandbox.requests().requests).toBe(0);
  });
});
