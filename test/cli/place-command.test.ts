import { describe, expect, it } from "vitest";
import { placeCommand } from "../../src/cli/read-command-line.ts";

describe("placeCommand", () => {
  it.each<[string, string[], string[]]>([
    ["a file", ["a.csv", "-t", "t"], ["push", "a.csv", "-t", "t"]],
    ["a command in front", ["check", "a.csv"], ["check", "a.csv"]],
    ["a command behind a flag", ["--json", "check", "a.csv"], ["check", "--json", "a.csv"]],
    ["a command behind an option with a value", ["-t", "t", "check", "a.csv"], ["check", "-t", "t", "a.csv"]],
    [
      "a value that is a command's name",
      ["--table", "check", "a.csv"],
      ["push", "--table", "check", "a.csv"],
    ],
    ["a file called like a command, after another file", ["a.csv", "check"], ["push", "a.csv", "check"]],
    ["a file behind --", ["--", "check"], ["push", "--", "check"]],
    ["standard input", ["-", "-t", "t"], ["push", "-", "-t", "t"]],
    ["help", ["--help"], ["push", "--help"]],
    ["the version", ["-V"], ["-V"]],
  ])("finds the command with %s", (_, argv, expected) => {
    expect(placeCommand(argv)).toEqual(expected);
  });
});
