import { describe, expect, it } from "vitest";
import {
  parseComment,
  parseDelimiter,
  parseEncoding,
  parseEscape,
  parseFormat,
  parseQuote,
} from "../../src/read/parse-read-option.ts";
import { checkReadOptions, type ReadOptions } from "../../src/read/read-options.ts";
import { casesOf } from "../support/parted.ts";

const PARSERS: Readonly<Record<string, (text: string, option: string) => string>> = {
  delimiter: parseDelimiter,
  encoding: parseEncoding,
  quote: parseQuote,
  escape: parseEscape,
  comment: parseComment,
  format: parseFormat,
};

describe("values of the reading options", () => {
  it.each(casesOf`
    delimiter | ;            | ;
    delimiter | Semicolon    | ;
    delimiter | \\t          | \t
    delimiter | ¤            | ¤
    encoding  | UTF-8        | utf-8
    encoding  | utf8         | utf-8
    encoding  | ISO-8859-1   | windows-1252
    encoding  | CP1252       | windows-1252
    encoding  | latin-9      | latin-9
    encoding  | IBM437       | ibm437
    encoding  | utf-16       | utf-16le
    encoding  | MacRoman     | macroman
    quote     | '            | '
    escape    | backslash    | \\
    comment   | #            | #
    format    | JSONL        | ndjson
    format    | csv          | csv
  `)("--%s %s is %s", (option, text, value) => {
    expect(PARSERS[option]!(text, `--${option}`)).toBe(value);
  });

  it("may be a blank behind the delimiter, a tab as it is, and no quote", () => {
    expect([parseDelimiter(", ", ""), parseDelimiter("\t", ""), parseQuote("none", "")]).toEqual([
      ", ",
      "\t",
      "",
    ]);
  });

  it.each([
    ["delimiter", "a"],
    ["delimiter", ""],
    ["delimiter", '"'],
    ["delimiter", "\n"],
    ["quote", "`"],
    ["escape", "/"],
    ["comment", " "],
    ["format", "ods"],
    ["encoding", "klingon"],
    ["encoding", "base64"],
  ])("are refused: --%s %j", (option, text) => {
    const message = expect.stringContaining(`--${option} "`) as string;
    expect(() => PARSERS[option]!(text, `--${option}`)).toThrow(
      expect.objectContaining({ kind: "usage", message }),
    );
  });

  it.each<[string, ReadOptions]>([
    ["--header-line", { header: false, headerLine: 2 }],
    ["--skip-lines", { headerLine: 2, skipLines: 2 }],
    ["--comment", { delimiter: "#", comment: "#" }],
    ["escape", { quote: '"', escape: "'" }],
  ])("refuses a contradiction with %s", (option, options) => {
    expect(() => checkReadOptions(options)).toThrow(
      expect.objectContaining({ kind: "usage", message: expect.stringContaining(option) }),
    );
  });

  it("takes options that go together", () => {
    expect(() =>
      checkReadOptions({ headerLine: 3, skipLines: 2, quote: "'", escape: "'", comment: "" }),
    ).not.toThrow();
  });
});
