import { describe, expect, it } from "vitest";
import { CUTS, failureOf, placeOf, linedRows, plainRows, read, readFixture } from "./json-support.ts";

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

  it("refuses a first line that holds no object", async () => {
    const refused = { code: "json-not-records", place: { line: 1 } };
    expect(await failureOf(read("123\n", options))).toMatchObject(refused);
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

  it("refuses a last line that is cut off", async () => {
    expect(placeOf(await failureOf(read('{"a":1}\n{"a":', options)))).toBe("2:6");
  });
});
