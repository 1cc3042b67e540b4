import { describe, expect, it } from "vitest";
import { CUTS, failureOf, linedRows, placeOf, plainRows, read, readFixture } from "./json-support.ts";

const KINDS = '[{"s":"x","n":-0.10e+2,"t":true,"f":false,"z":null,"o":{"a":[1]},"l":[{}]}]';
const LONG = "12345678901234567890";
const gap = undefined;

describe.each(CUTS)("a JSON file in chunks of %s bytes", (cut) => {
  const options = { cut };

  it.each([
    ["an array", '[{"a":"1"},{"a":"2"}]', "a", [["1"], ["2"]]],
    ["an empty array", " [ ]\n", undefined, []],
    ["an empty row", "[{}, { }]", undefined, [[], []]],
    ["every kind of value", KINDS, "s n t f z o l", [["x", "#-0.10e+2", true, false, null, {}, []]]],
    ["digits that no float holds", `[{"n":${LONG}}]`, "n", [[`#${LONG}`]]],
    [
      "members that come and go",
      '[{"a":1},{"b":2},{"b":3,"a":4}]',
      "a b",
      [["#1"], [gap, "#2"], ["#4", "#3"]],
    ],
    ["names like integers in the file's order", '[{"2":"b","1":"a"}]', "2 1", [["b", "a"]]],
    ["names of any object", '[{"__proto__":"p","toString":1}]', "__proto__ toString", [["p", "#1"]]],
    ["a name like an escape", String.raw`[{"a\\b":1},{"a\b":2}]`, "a\\b a\b", [["#1"], [gap, "#2"]]],
    ["characters of one to four bytes", '[{"clé":"aé€😀\u007f"}]', "clé", [["aé€😀\u007f"]]],
    ["an array in an object", '{"count":1,"data":[{"a":"1"}],"status":"ok"}', "a", [["1"]]],
  ])("gives the rows of %s", async (_what, text, columns, rows) => {
    const pass = await read(text, options);
    expect([pass.columns, plainRows(pass), pass.problems]).toEqual([columns?.split(" ") ?? [], rows, []]);
  });

  it.each(["\n", "\r\n", "\r"])("counts the lines of a file whose lines end with %j", async (end) => {
    const text = ["[", '{"a":1},', "", '  {"a":', '2}, {"a":3}', "]"].join(end);
    expect((await read(text, options)).rows.map(({ line }) => line)).toEqual([2, 4, 5]);
  });

  it("hands out every row once, and no more than 64 KiB of them at a time", async () => {
    const texts = Array.from({ length: 9000 }, (_, i) => `{"i":${i}}`);
    const pass = await read(`[${texts.join(",\n")}]`, options);
    expect(Math.max(...pass.chunkSizes)).toBeLessThan(65_536 / 8);
    expect(plainRows(pass)).toEqual(texts.map((_, i) => [`#${i}`]));
    expect(pass.rows.at(-1)?.line).toBe(9000);
  });
});

describe("a row that cannot be read", () => {
  it("is a problem when a member is given twice, and the others are read", async () => {
    const pass = await read(readFixture("member-twice.json"));
    const problem = {
      line: 2,
      header: "cle",
      reason: "is given twice in one record",
      hint: "keep one of the two",
    };
    expect(pass.problems).toMatchObject([problem]);
    expect(pass.problems[0]).not.toHaveProperty("column");
    expect(plainRows(pass)).toEqual([["C2", "551036"]]);
  });

  it.each([
    ["first in another row's order", '[{"a":1,"b":2},{"b":1,"a":2,"b":3}]'],
    ["in two spellings", String.raw`[{"a":1,"\u0061":1}]`],
    ["as __proto__", '[{"__proto__":1,"__proto__":2}]'],
    ["with nested values", '[{"a":{},"a":[]}]'],
  ])("is a problem when a member is given twice %s", async (_how, text) => {
    const { problems } = await read(text);
    expect(problems.map((problem) => problem.reason)).toEqual(["is given twice in one record"]);
  });

  it.each(CUTS)(
    "takes an object or array that holds nothing for null, in chunks of %s bytes",
    async (cut) => {
      const text = '[{"a":[],"b":{ },"c":[[]],"d":{"e":[]}},{"a":[1],"b":{"x":1}}]';
      const rows = plainRows(await read(text, { cut }));
      expect(rows).toEqual([
        [null, null, [], {}],
        [[], {}],
      ]);
    },
  );

  it("does not take a name of another row, or inside a nested value, for one given twice", async () => {
    const { problems } = await read('[{"a":1,"n":{"a":1,"n":2}},{"a":1}]');
    expect(problems).toEqual([]);
  });

  it.each([String.raw`\ud800`, String.raw`x\udc00`, String.raw`\udc00\ud800`])(
    "is a problem when a half of a surrogate pair stands alone: %s",
    async (text) => {
      const { rows, problems } = await read(`[{"a":"${text}"}]`);
      const reason = expect.stringContaining("one half of a surrogate pair") as string;
      expect([rows, problems]).toMatchObject([[], [{ header: "a", reason }]]);
    },
  );

  it("stops the file where a name holds half of a surrogate pair", async () => {
    const error = await failureOf(read('[{"a":1},\n{"\\ud800":"x"}]'));
    expect(error).toMatchObject({ code: "json-syntax", place: { line: 2 } });
    expect(error.message).toContain("one half of a surrogate pair");
  });

  it("is a problem when it is no object, and what it holds is not read as members", async () => {
    const pass = await read('[{"a":1},[{"a":2},"x"],"C2",3,null,{"a":4}]');
    expect(plainRows(pass)).toEqual([["#1"], ["#4"]]);
    const reasons = pass.problems.map((problem) => problem.reason.replace(/ is where.*/, ""));
    expect(reasons).toEqual(["an array", "a string", "a number", "null"]);
    expect((await read(readFixture("stray-string.json"))).problems[0]?.line).toBe(3);
  });
});

describe("a file without rows", () => {
  it.each([
    ["an array of strings", '["a","b"]', "1:2"],
    ["a string", ' "abc"', "1:2"],
    ["null", "\nnull", "2:1"],
    ["an object with arrays of other values only", '{"status":"x","b":["y"],"c":[[]]}', ""],
  ])("is refused when it holds %s", async (_what, text, place) => {
    const error = await failureOf(read(text));
    for (const cut of [1, 2]) expect((await failureOf(read(text, { cut }))).message).toBe(error.message);
    expect(error).toMatchObject({ kind: "input", code: "json-not-records" });
    expect(error.message).toMatch(place === "" ? /^x\.json: / : `x.json:${place}: `);
  });
});

describe.each(CUTS)("an NDJSON file in chunks of %s bytes", (cut) => {
  const options = { format: "ndjson", cut } as const;

  it("gives a row for each line and skips blank ones", async () => {
    const pass = await read(readFixture("blank-lines.ndjson"), options);
    expect(linedRows(pass).map((row) => row.join())).toEqual(["2,C1,551035", "4,C2,551036"]);
  });

  it.each([
    ["nothing", "", []],
    ["blank lines only", "\n \r\n", []],
    ["no line end at the end", '{"a":1}\n{"a":2}', [1, 2]],
    ["CR line ends", '{"a":1}\r{"a":2}\r', [1, 2]],
    ["objects that take several lines", '{\n"a":1\n}\n{\n"a":2}', [1, 4]],
    ["objects on one line", '{"a":1}{"a":2} {"a":3}', [1, 1, 1]],
  ])("is read with %s", async (_what, text, lines) => {
    const pass = await read(text, options);
    expect(pass.rows.map((row) => row.line)).toEqual(lines);
  });

  it("makes a line that holds no object a problem", async () => {
    const pass = await read('{"a":1}\n[{"a":2}]\n"x"\n{"a":3}', options);
    expect(plainRows(pass)).toEqual([["#1"], ["#3"]]);
    expect(pass.problems.map((problem) => problem.line)).toEqual([2, 3]);
  });

  it.each([
    ["broken-line.ndjson", "3:1", "expected a comma or }, found {"],
    ["comma-between-lines.ndjson", "1:37", "expected the { of a row, found ,"],
  ])("refuses %s at %s", async (name, place, message) => {
    const error = await failureOf(read(readFixture(name), options));
    expect(error.code).toBe("json-syntax");
    expect(placeOf(error)).toBe(place);
    expect(error.message).toContain(message);
  });
});
