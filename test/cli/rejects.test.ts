import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import {
  edit,
  faults,
  holds,
  holdsNumbers,
  nothingSent,
  paste,
  scenario,
  type Step,
  write,
  wrote,
} from "../support/scenario.ts";
import { pipeBeside } from "../support/temp-files.ts";

const MARKS = ["_rejected_run", "_rejected_line", "_rejected_field", "_rejected_reason", "_later_line"];
const SKIP = "--on-invalid skip";
const ORDERS = "cle,num_commande\nA1,1\nA2,x\n,3\n,y\n";
const ROW = "cle,num_commande\nA1,1\nA2,x\n";
/** The printed command that pushes a mended file. */
const MENDED = /then push that file[^:]*: rec-push (.*)/;
const mend =
  (name: string): Step =>
  async ({ directory }) => {
    const path = join(directory, name);
    await writeFile(path, (await readFile(path, "utf8")).replace(/x$/m, "2").replace(/y$/m, "4"));
  };

describe("the rejects file of a CSV", () => {
  const marks = (delimiter: string): string => MARKS.join(delimiter);
  for (const [name, content, row, encoding] of [
    [
      "mixed line ends",
      "cle,n_amount\r\nA1,1.50\nA2,abc\r\nA3,2.5",
      `${marks(",")},cle,n_amount\r\nRUN,3,n_amount,"it holds no digits",,A2,abc\r\n`,
      "utf8",
    ],
    [
      "cells of several lines",
      'cle,t,n_amount\n"A\n1",x,1.50\nA2,"one\r\ntwo\n\nfour",abc\nA3,x,2.50\n',
      `${marks(",")},cle,t,n_amount\nRUN,4,n_amount,"it holds no digits",,A2,"one\r\ntwo\n\nfour",abc\n`,
      "utf8",
    ],
    [
      "a code page",
      iconv.encode("cle;libellé;n_amount\nA1;é;1,5\nA2;à la coque ½;abc\n", "cp850"),
      `${marks(";")};libell\u0082;n_amount\nRUN;3;n_amount;"it holds no digits";;A2;\u0085 la coque \u00ab;abc\n`.replace(
        ";libell",
        ";cle;libell",
      ),
      "latin1",
    ],
    [
      "a byte order mark",
      iconv.encode("cle,t,n_amount\nA1,é😀,1.5\nA2,😀é,abc\n", "utf-16le", { addBOM: true }),
      `\ufeff${marks(",")},cle,t,n_amount\nRUN,3,n_amount,"it holds no digits",,A2,😀é,abc\n`,
      "utf16le",
    ],
  ] as const)
    scenario(`has the row as it was: ${name}`, { "a.csv": content }, [
      [`push a.csv ${SKIP} ${encoding === "latin1" ? "--encoding cp850 --map 2=libelle" : ""}`, 4],
      async ({ directory }) => {
        const text = await readFile(join(directory, "a.rejects.csv"), encoding);
        const told = text.replace(/\d{8}-\d{6}-\w{6}/, "RUN");
        expect(told).toBe(row);
      },
    ]);
  scenario(
    "keeps the lines above the header, and the delimiters of a padded table",
    { "a.csv": "Export;;;\nsous-titre;;;\ncle;n;d_amount;\nA1;1;2,5;\nA2;1;x;\n" },
    [
      [`push a.csv ${SKIP}`, 4, "--header-line 3"],
      holds(
        "a.rejects.csv",
        new RegExp(
          `^Export;;;\nsous-titre;;;\n${MARKS.join(";")};cle;n;d_amount;\n[^;]+;5;d_amount;"[^"]*";;A2;1;x;\n$`,
        ),
      ),
    ],
  );
  scenario(
    "holds unreadable rows as they were, with all of their lines",
    {
      "a.csv":
        'cle,t,n\nA1,"x",1\nA2,"never closed,2\nA3,"y",3\nA4,"two\nlines","x" torn\nA5,"z",5\nA6,"b\n\nb"\nA7,"z",7\n',
    },
    [
      [`push a.csv ${SKIP}`, 4],
      ...[/A2,"never closed,2\n[^,]+,6,/, 'A4,"two\nlines","x" torn\n', 'A6,"b\n\nb"\n'].map((row) =>
        holds("a.rejects.csv", row),
      ),
    ],
  );
  scenario(
    "puts its cells before a row only once when a rejects file is pushed again",
    { "a.csv": 'cle,n_amount,t\nA1,1,x\nA2,abc,"a,b"\nA3,def,x' },
    [
      [`push a.csv ${SKIP}`, 4],
      edit("a.rejects.csv", "abc", "7"),
      [`push a.rejects.csv ${SKIP} --rejects again.csv`, 4],
      holds(
        "again.csv",
        new RegExp(`^${MARKS.join(",")},cle,n_amount,t\n[^,]+,3,n_amount,".*",,A3,def,x\n$`),
      ),
    ],
    [
      { cle: "A1", n_amount: "1", t: "x" },
      { cle: "A2", n_amount: "7", t: "a,b" },
    ],
  );
});

scenario(
  "the rejects of a CSV count its columns by their positions in the whole file",
  { "a.csv": "cle,Le jour,Wort mit Raum\nA1,2016-07-13,x\nA2,2016-02-31,y\n" },
  [
    [`push a.csv ${SKIP} --map 2=date_billed --drop 3`, 4],
    edit("a.rejects.csv", "02-31", "02-29"),
    ["push a.rejects.csv --map 2=date_billed --drop 3", 0],
  ],
  [
    { cle: "A1", date_billed: "2016-07-13" },
    { cle: "A2", date_billed: "2016-02-29" },
  ],
);

describe("the rejects file of JSON", () => {
  const rows = [
    '{"cle":"A1","n_amount":1}',
    String.raw`{ "cle" : "A\u0032", "n_amount" : "x", "t":"a\"b,}{" , "z":1.50e1}`,
    '{"cle":"A3","n_amount":2}',
    '{"cle":"A4","n_amount":2,"cle":"A5"}',
  ];
  for (const [name, text, words] of [
    ["an array", `[${rows.join(", ")}]`, ""],
    ["NDJSON", rows.join("\n"), ""],
    ["an object with several arrays", `{"old":[{"cle":"X"}],"data":[${rows.join(",")}]}`, "--json-path data"],
  ] as const)
    scenario(`is NDJSON with the members as they were written: ${name}`, { "a.json": text }, [
      [`push a.json ${SKIP} ${words}`, 4, /rec-push .*--format ndjson/, { not: /rec-push .*--json-path/ }],
      holds(
        "a.rejects.ndjson",
        String.raw`"_later_line":"","cle" : "A\u0032","n_amount" : "x","t":"a\"b,}{","z":1.50e1}`,
      ),
      holds("a.rejects.ndjson", /\n.*"_rejected_field":"cle".*,"cle":"A4","n_amount":2,"cle":"A5"\}\n$/),
    ]);
  scenario(
    "keeps what was no record, and a later push asks for it",
    { "a.json": '[{"cle":"A1","t":"x"}, 42, "a\\n", [1,\n 2], null]' },
    [
      [`push a.json ${SKIP}`, 4],
      ...["42}", String.raw`"a\n"}`, "[1, 2]}", "null}"].map((value) =>
        holds("a.rejects.ndjson", `"_rejected_value":${value}\n`),
      ),
      ["push a.rejects.ndjson", 3, "a.rejects.ndjson: _rejected_value holds an element that was not a row"],
    ],
  );
  scenario(
    "puts its members before a record only once, where it was mended in vain",
    { "a.json": '[{"cle":"A1","n_amount":1},\n{"cle":"A2","n_amount":"x"},\n{"cle":"A3","n_amount":"y"}]' },
    [
      [`push a.json ${SKIP}`, 4],
      edit("a.rejects.ndjson", '"x"', '"2"'),
      [`push a.rejects.ndjson ${SKIP}`, 4],
      holds(
        "a.rejects-2.ndjson",
        /^\{"_rejected_run":"[^"]+","_rejected_line":2,(?:(?!_rejected_run).)*"A3".*\n$/,
      ),
    ],
  );
});

scenario(
  "the rejects of JSON are pushed with options that name members which only the whole file has",
  { "a.json": '[{"cle":"A1","memo":"x","paid":"13/07/2016"},{"cle":"A2","n_amount":"x"}]' },
  [
    [`push a.json ${SKIP} --drop memo --type paid=date:DD/MM/YYYY`, 4],
    edit("a.rejects.ndjson", '"x"', '"1"'),
    ["push a.rejects.ndjson --drop memo --type paid=date:DD/MM/YYYY", 0],
  ],
);

describe("records that the service refused", () => {
  scenario(
    "are among the rejected rows in file order, with the service's answer, in a private file",
    { "a.csv": "cle,num_commande\nA1,1\nA2,2\nA3,x\nA4,3\n,4\n" },
    [
      faults("refuse=num_commande:3", "refuse=num_commande:1"),
      [`push a.csv ${SKIP} --json`, 4, '"rows":3,"later":0'],
      holds(
        "a.rejects.csv",
        /\n[^,]+,2,,"the service refused it \(\d+\): .*",,A1,1\n[^,]+,4,.*\n[^,]+,5,.*\n$/,
      ),
      wrote("a.rejects.csv"),
      async ({ directory }) =>
        expect((await stat(join(directory, "a.rejects.csv"))).mode & 0o777).toBe(0o600),
    ],
  );
});

describe("rejects whose key had a later accepted row", () => {
  scenario(
    "name its line, and are passed over",
    { "a.csv": "cle,num_commande\nA1,x\nA2,66\nA1,1\nA2,2\nA2,y\nA3,z\n" },
    [
      faults("refuse=num_commande:66"),
      [`push a.csv ${SKIP}`, 4, "mend the 4 rows in", "(2 of them with a _later_line are passed over"],
      holds("a.rejects.csv", /,4,A1,x\n.*,5,A2,66\n.*,,A2,y\n.*,,A3,z\n$/),
      faults(),
      edit("a.rejects.csv", ",x\n", ",7\n"),
      edit("a.rejects.csv", ",y\n", ",8\n"),
      edit("a.rejects.csv", ",z\n", ",9\n"),
      [
        "push a.rejects.csv --results r.csv",
        0,
        "a.rejects.csv: 2 rows (lines 2, 3) are passed over: later rows with the same key were accepted",
        "4 rows read: 2 accepted, 2 skipped",
      ],
      holds("r.csv", /,A1,skipped,,,later rows with its key gave all its fields,/),
      ["push a.rejects.csv", 0, "its mended rows are left out", "4 skipped"],
    ],
    [
      { cle: "A1", num_commande: "1" },
      { cle: "A2", num_commande: "8" },
      { cle: "A3", num_commande: "9" },
    ],
  );
  scenario(
    "leave nothing to do where all of them are overtaken",
    { "a.csv": "cle,num_commande\nA1,x\nA1,1\n" },
    [
      [
        `push a.csv ${SKIP}`,
        4,
        "leave the 1 row in a.rejects.csv: later rows with the same key were accepted",
      ],
      ["runs", 0, "1 run with nothing left to do"],
    ],
  );
  scenario(
    "stop where later rows give only some of their fields, and go once the older cells are deleted",
    { "a.csv": "cle,num_commande,ville\nA1,x,Lyon\nA1,1,\nA2,2,Nice\n" },
    [
      [`push a.csv ${SKIP} --other-columns send`, 4, { not: "passed over" }],
      holds("a.rejects.csv", ',"3 (some fields)",A1,x,Lyon\n'),
      edit("a.rejects.csv", ",x,", ",7,"),
      [
        "push a.rejects.csv --other-columns send",
        2,
        'a.rejects.csv:2: later rows with the key "A1" were accepted, and give some of the fields',
        "delete the older cells from such rows, and what is in _later_line",
      ],
      edit("a.rejects.csv", ',"3 (some fields)",A1,7,', ",,A1,,"),
      ["push a.rejects.csv --other-columns send", 0, "1 row read: 1 accepted"],
    ],
    [
      { cle: "A1", num_commande: "1", ville: "Lyon" },
      { cle: "A2", num_commande: "2", ville: "Nice" },
    ],
  );
  scenario(
    "are passed over if it was in a later file of the same command, which alone leaves no other file",
    { "a.csv": "cle,num_commande\nA1,x\nA5,1\n", "b.csv": "cle,num_commande\nA1,1\n" },
    [
      [`push a.csv b.csv ${SKIP}`, 4],
      wrote("a.rejects.csv"),
      edit("a.rejects.csv", "A1,x", "A1,2"),
      ["push a.rejects.csv", 0, "a.rejects.csv: 1 row (line 2) is passed over"],
      ["push a.rejects.csv --stale-ok", 0],
    ],
    [
      { cle: "A5", num_commande: "1" },
      { cle: "A1", num_commande: "2" },
    ],
  );
});

describe("--rejects", () => {
  scenario(
    "makes a directory with a file for each input, where there are several",
    {
      "a.csv": ROW,
      "b.csv": `${ROW}A3,3\n`,
      "c.json": '[{"cle":"C1","num_commande":1},{"cle":"C2","num_commande":"x"}]',
    },
    [
      [`push a.csv b.csv c.json ${SKIP} --rejects @r`, 4],
      holds("r/a.rejects.csv", "A2,x\n"),
      holds("r/b.rejects.csv", "A2,x\n"),
      holds("r/c.rejects.ndjson", '"cle":"C2"'),
    ],
  );
  const refused = (words: string, exit: number, told: string): readonly Step[] => [
    [`push a.csv ${SKIP} ${words}`, exit, told],
    nothingSent,
  ];
  scenario("refuses a place that cannot be before anything is sent", { "a.csv": ROW, "empty.csv": "" }, [
    ...refused("--rejects a.csv", 2, "it is the file that is pushed"),
    ({ directory }) => void pipeBeside(join(directory, "a.csv")),
    ...refused("--rejects @a.csv.pipe", 2, "it is not a regular file"),
    ...refused("--rejects /no/such/r.csv", 2, "not a directory"),
    ({ directory }) => symlink(join(directory, "empty.csv"), join(directory, "link.csv")),
    ...refused("--rejects link.csv", 2, "it is not a regular file"),
    ...refused(`--rejects @${"x".repeat(250)}.csv`, 1, "the rejects cannot be written to"),
    ...refused("--results a.rejects.csv", 2, "the rejects go there"),
  ]);
  scenario("that ends with a slash is a directory, where each push has a file of its own", { "a.csv": ROW }, [
    [`push a.csv ${SKIP} --rejects @mend/`, 4],
    write("a.csv", "cle,num_commande\nA1,1\nA2,z\n"),
    [`push a.csv ${SKIP} --rejects @mend/`, 4],
    holds("mend/a.rejects.csv", "A2,x"),
    holds("mend/a.rejects-2.csv", "A2,z"),
  ]);
});

describe("rejects without --rejects", () => {
  scenario(
    "are beside the input, and the printed command pushes them when they are mended",
    { "a.csv": ORDERS },
    [
      [`push a.csv ${SKIP}`, 4],
      wrote("a.rejects.csv"),
      mend("a.rejects.csv"),
      paste(MENDED, 0, "2 rows read: 2 accepted"),
      holdsNumbers("1", "2", "3", "4"),
    ],
  );
  for (const [name, content, rejects] of [
    ["orders.csv.gz", gzipSync(ORDERS), "orders.rejects.csv"],
    ["orders.txt", ORDERS, "orders.rejects.txt"],
    [
      "orders.json",
      '[{"cle":"A1","num_commande":"x"},{"cle":"A2","num_commande":"1"}]',
      "orders.rejects.ndjson",
    ],
    ["orders.rejects.csv", ORDERS, "orders.rejects-2.csv"],
  ] as const)
    scenario(`of ${name} are named after it`, { [name]: content }, [
      [`push ${name} ${SKIP}`, 4],
      wrote(rejects),
    ]);
  scenario("are completed there by a resume", { "a.csv": "cle,num_commande\nA1,1\nA2,x\nA3,3\nA4,4\n" }, [
    faults("refuse=num_commande:1", "status=503,skip=1"),
    [`push a.csv ${SKIP} --concurrency 1 --batch-size 1 --retries 0 --max-failed 1`, 7],
    faults("refuse=num_commande:4"),
    ["resume", 4],
    wrote("a.rejects.csv"),
    holds("a.rejects.csv", /\n[^,]+,2,.*\n[^,]+,3,.*\n[^,]+,5,.*\n$/),
  ]);
  it("go to the run's directory for standard input, and for a file in the state directory", async () => {
    const { push, runs, directoryOf, command, home } = await openWorld();
    const kept = join(home, "rec-push", "kept.csv");
    await mkdir(dirname(kept), { recursive: true });
    await writeFile(kept, ORDERS.replace("A1", "C1"));
    for (const [file, stdin] of [
      ["-", ORDERS.replace("A1", "B1")],
      [kept, ""],
    ] as const) {
      const first = await push([file, ...SKIP.split(" "), "--again"], { stdin });
      const [, path = ""] = /mend the 2 rows in (\S+), then push that file/.exec(first.stdout) ?? [];
      expect((await runs()).map((run) => join(directoryOf(run), "rejects.csv"))).toContain(path);
      await writeFile(path, (await readFile(path, "utf8")).replace(/x$/m, "2").replace(/y$/m, "4"));
      const words = MENDED.exec(first.stdout)![1]!.replaceAll("'", "").split(" ");
      expect((await command([...words, "--again"])).code).toBe(0);
    }
  });
  const LONG = `${"o".repeat(245)}.csv`;
  scenario("stop the run before it sends where they cannot be beside the input", { [LONG]: ORDERS }, [
    [`push ${LONG} ${SKIP}`, 1, /the rejects cannot be written to .*\n.*--rejects/],
    nothingSent,
    [`push ${LONG} ${SKIP} --rejects r.csv`, 4],
    wrote("r.csv"),
  ]);
  scenario(
    "are written neither by check nor by a rehearsal, nor where invalid rows stop the run",
    { "a.csv": ORDERS },
    [
      ["push a.csv", 3],
      [`check a.csv ${SKIP} -t commandes`, 4],
      [`push a.csv ${SKIP} -t commandes --sandbox`, 4],
      wrote(),
    ],
  );
});

describe("a file that already has the name of the rejects", () => {
  scenario("stays as it is: the rejects get a number", { "a.csv": ORDERS, "a.rejects.csv": "mine\n" }, [
    [`push a.csv ${SKIP}`, 4, "a.rejects.csv already exists and is left as it is"],
    holds("a.rejects.csv", /^mine\n$/),
    mend("a.rejects-2.csv"),
    paste(MENDED, 0),
    holdsNumbers("1", "2", "3", "4"),
  ]);
  scenario(
    "keeps the rows of another night and of another table, and equal ones of its table are not written twice",
    { "a.csv": "cle,num_commande\n,x\nA1,1\n" },
    [
      [`push a.csv ${SKIP}`, 4],
      wrote("a.rejects.csv"),
      [`push a.csv ${SKIP} --table factures`, 4],
      wrote("a.rejects-2.csv", "a.rejects.csv"),
      write("a.csv", "cle,num_commande\n,x\nA1,2\n"),
      [`push a.csv ${SKIP}`, 4],
      wrote("a.rejects-2.csv", "a.rejects.csv"),
      write("a.csv", "cle,num_commande\n,y\nA1,2\n"),
      [`push a.csv ${SKIP}`, 4],
      wrote("a.rejects-2.csv", "a.rejects-3.csv", "a.rejects.csv"),
    ],
  );
  scenario(
    "and was mended while its run was open stays as it is: the run goes on, and writes its rows beside it",
    { "a.csv": ROW },
    [
      faults("status=503"),
      [`push a.csv ${SKIP} --retries 0`, 7],
      mend("a.rejects.csv"),
      faults(),
      ["resume", 4, "a.rejects.csv already exists and is left as it is"],
      holds("a.rejects.csv", "A2,2\n"),
      holds("a.rejects-2.csv", "A2,x\n"),
      ["push a.rejects.csv", 0],
      holdsNumbers("1", "2"),
    ],
  );

  scenario(
    "and was mended and pushed while its run was open: the rows that the run writes beside it stay as old as they are",
    { "a.csv": ROW, "b.csv": "cle,num_commande\nA2,7\n" },
    [
      faults("status=503"),
      [`push a.csv ${SKIP} --retries 0`, 7],
      mend("a.rejects.csv"),
      faults(),
      ["push a.rejects.csv", 0],
      ["resume", 4],
      ["push b.csv", 0],
      mend("a.rejects-2.csv"),
      ["push a.rejects-2.csv", 0, "a.rejects-2.csv was already pushed"],
      holdsNumbers("1", "7"),
    ],
  );
});

describe("files of rows that rec-push wrote", () => {
  const LATER = "cle,num_commande\nA1,x\nA1,1\nA2,y\n";
  scenario(
    "are passed over among others, with a notice, and pushed if only rejects are given",
    { "a.csv": LATER },
    [
      [`push a.csv ${SKIP}`, 4],
      [`push a.csv a.rejects.csv ${SKIP}`, 4, "a.rejects.csv is passed over: rec-push wrote it"],
      ["check a.csv a.rejects.csv", 3, "a.rejects.csv is passed over: rec-push wrote it"],
      mend("a.rejects.csv"),
      ["push a.rejects.csv", 0, "1 row (line 2) is passed over"],
      holdsNumbers("1", "4"),
      ["push a.rejects.csv --stale-ok", 0],
      holdsNumbers("2", "4"),
    ],
  );
  const names = ["line", "batch", "reason"].map((name) => `_in_doubt_${name}`);
  const members = names.map((name) => `"${name}":"1"`).join(",");
  const doubtful = {
    "a.csv": `${names.join(",")},num_commande\n2,a,b,1\n`,
    "b.csv": `Titre;;;\n"${names.join('";"')}";"num_commande"\n2;a;b;1\n`,
    "c.csv": `num_commande\t${names.join("\t")}\n1\t2\ta\tb\n`,
    "d.csv": Buffer.from(`\ufeff${names.join(",")},num_commande\n2,a,b,1\n`, "utf16le"),
    "e.csv.gz": gzipSync(`${names.join(",")},num_commande\n2,a,b,1\n`),
    "f.ndjson": `{${members},"num_commande":"1"}\n`,
    "g.json": `[\n {\n ${members.replaceAll(",", ",\n ")},\n "num_commande": "1"}]`,
  };
  scenario("are refused with rows in doubt, in every format and encoding", doubtful, [
    ...Object.keys(doubtful).flatMap((file): Step[] => [
      [`push ${file} --other-columns drop`, 3, "--in-doubt"],
      [`check ${file}`, 3, "--in-doubt"],
    ]),
    nothingSent,
  ]);
});
