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

describe("values of the reading options", () => {
  it.each([
    [";", ";"],
    ["tab", "\t"],
    ["\\t", "\t"],
    ["\t", "\t"],
    ["Semicolon", ";"],
    ["pipe", "|"],
    ["comma", ","],
    [", ", ", "],
    ["¤", "¤"],
  ])("reads --delimiter %j as %j", (text, delimiter) => {
    expect(parseDelimiter(text, "--delimiter")).toBe(delimiter);
  });

  it.each([
    ["UTF-8", "utf-8"],
    ["utf8", "utf-8"],
    ["ISO-8859-1", "windows-1252"],
    ["latin1", "windows-1252"],
    ["CP1252", "windows-1252"],
    ["iso-8859-15", "iso-8859-15"],
    ["latin-9", "latin-9"],
    ["850", "850"],
    ["IBM437", "ibm437"],
    ["utf-16", "utf-16le"],
    ["windows-1250", "windows-1250"],
    ["MacRoman", "macroman"],
  ])("reads --encoding %s as %s", (text, encoding) => {
    expect(parseEncoding(text, "--encoding")).toBe(encoding);
  });

  it.each([
    ["quote", () => parseQuote("none", "--quote"), ""],
    ["quote", () => parseQuote("'", "--quote"), "'"],
    ["escape", () => parseEscape("backslash", "--escape"), "\\"],
    ["escape", () => parseEscape('"', "--escape"), '"'],
    ["comment", () => parseComment("#", "--comment"), "#"],
    ["format", () => parseFormat("JSONL", "--format"), "ndjson"],
    ["format", () => parseFormat("csv", "--format"), "csv"],
  ])("reads --%s", (_, parse, value) => {
    expect(parse()).toBe(value);
  });

  it.each([
    ["delimiter", () => parseDelimiter("a", "--delimiter")],
    ["delimiter", () => parseDelimiter("", "--delimiter")],
    ["delimiter", () => parseDelimiter('"', "--delimiter")],
    ["delimiter", () => parseDelimiter("\n", "--delimiter")],
    ["quote", () => parseQuote("`", "--quote")],
    ["escape", () => parseEscape("/", "--escape")],
    ["comment", () => parseComment(" ", "--comment")],
    ["format", () => parseFormat("ods", "--format")],
    ["encoding", () => parseEncoding("klingon", "--encoding")],
    ["encoding", () => parseEncoding("base64", "--encoding")],
  ])("refuses what is no --%s", (option, parse) => {
    expect(parse).toThrow(
      expect.objectContaining({ kind: "usage", message: expect.stringContaining(`--${option} "`) }),
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
