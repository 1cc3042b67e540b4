import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/command-line.ts";
import type { OptionTexts } from "../../src/model/option-texts.ts";
import type { CommandName } from "../../src/options/declaration.ts";
import { planOptions } from "../../src/options/derive.ts";
import {
  numberFrom,
  parseBytes,
  parseConcurrency,
  parseDuration,
  parseRate,
  parseStatuses,
  parseTimeout,
} from "../../src/options/quantities.ts";
import { readValues } from "../../src/options/read-values.ts";
import { flagsOf, OPTIONS, TABLE, type TableEntry, useIn } from "../../src/options/table.ts";
import { defaultSendSettings } from "../../src/send/settings.ts";

const COMMANDS: readonly CommandName[] = ["push", "check", "resume", "runs", "ledger", "init", "sandbox"];
const TAKEN = TABLE.flatMap((entry) =>
  COMMANDS.filter((command) => useIn(command, entry.declaration) !== undefined).map(
    (command): [CommandName, string, TableEntry] => [command, flagsOf(entry).at(-1)!, entry],
  ),
);

/** The texts that a command reads from its line. */
function readLine(command: CommandName, words: readonly string[]): OptionTexts | undefined {
  const takesFile = command === "push" || command === "check" || command === "init";
  const file = command === "ledger" ? ["add", "a.csv"] : takesFile ? ["a.csv"] : [];
  let options: OptionTexts | undefined;
  const write = { out: () => undefined, err: () => undefined };
  createProgram(command, (line) => (options = line.options), write, "1.0.0").parse(
    [command, ...file, ...words],
    { from: "user" },
  );
  return options;
}

function names(isMeant: (entry: TableEntry) => boolean): string[] {
  return TABLE.filter(isMeant).map(({ name }) => name);
}

describe("the table of options", () => {
  it.each(TAKEN)(
    "%s reads %s under the option's name, and nothing that was not given",
    (command, _, entry) => {
      const { name, declaration } = entry;
      const { form } = declaration;
      for (const flag of flagsOf(entry)) {
        const value = "1";
        const isValued = form.kind === "text" || form.kind === "texts";
        const text = form.kind === "texts" ? [value] : isValued ? value : form.kind === "flag";
        expect(readLine(command, isValued ? [flag, value] : [flag])).toEqual({ [name]: text });
      }
      expect(readLine(command, [])).toEqual({});
    },
  );

  it.each(COMMANDS)("gives no two options of %s one flag", (command) => {
    const flags = TABLE.filter(({ declaration }) => useIn(command, declaration) !== undefined).flatMap(
      flagsOf,
    );
    expect(flags).toEqual([...new Set(flags)]);
  });

  it.each([
    ["batchSize", "batchSize"],
    ["batchBytes", "batchBytes"],
    ["retries", "retries"],
    ["maxWait", "maxWaitMs"],
    ["late", "lateMs"],
    ["maxFailed", "maxFailed"],
  ] as const)("says of %s the default that counts", (name, setting) => {
    const [, said = ""] = /\(default: (\S+)\)$/.exec(OPTIONS[name].help) ?? [];
    expect(readValues({ [name]: said })[name]).toBe(defaultSendSettings[setting]);
  });

  it("keeps of every option that decides records what a resume needs", () => {
    const forgotten = names(
      ({ declaration: { records, journal } }) => records !== "none" && journal !== "text",
    );
    expect(forgotten).toEqual([]);
  });

  it("neither keeps nor prints a secret value", () => {
    const secret = names(({ declaration: { mended } }) => mended === "secret");
    expect(secret).toEqual(["httpHeader", "query"]);
    expect(names(({ declaration: { journal } }) => typeof journal === "object")).toEqual(secret);
  });

  it("lets no config that was only found say where a token goes", () => {
    const ofTables = names(({ declaration: { config } }) => config.some(({ place }) => place !== "profile"));
    const target = names(({ declaration: { group } }) => group === "Target:");
    expect(ofTables.filter((name) => target.includes(name))).toEqual([]);
  });

  it("lets check and init read a file as push does", () => {
    const reading = (command: CommandName): string[] =>
      names(
        ({ declaration }) =>
          /^(Reading|Columns)/.test(declaration.group) && useIn(command, declaration) !== undefined,
      );
    expect(reading("check")).toEqual(reading("push"));
    expect(reading("init")).toEqual(reading("push"));
  });
});

describe("the options of all commands", () => {
  it("are at most 90 on the line, the sandbox's own apart", () => {
    const onLine = TABLE.filter(
      (entry) => entry.declaration.group !== "Options:" && flagsOf(entry).length > 0,
    );
    expect(onLine.length).toBeLessThanOrEqual(90);
  });

  it("are shown by the help of a push up to 40, the most used first, and all on demand", () => {
    const shown = (isWhole: boolean): string[] => {
      let help = "";
      const write = { out: (text: string) => void (help += text), err: () => undefined, isWhole };
      createProgram("push", () => undefined, write, "1.0.0").commands[0]!.outputHelp();
      return [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag = ""]) => flag);
    };
    const all = names(({ declaration }) => useIn("push", declaration) !== undefined);
    expect(shown(false)).toHaveLength(40 + 1);
    expect(shown(false).slice(0, 3)).toEqual(["--table", "--url", "--sandbox"]);
    expect(shown(true)).toHaveLength(all.length + 1);
  });
});

describe("what a plan tells of the options", () => {
  it("is the same for a default that is given and one that is not", () => {
    const given = { empty: "omit", onRepeat: "all", onInvalid: "stop", skipFooter: "0", maxRowBytes: "1MiB" };
    expect(planOptions(readValues(given))).toEqual(planOptions({}));
  });
});

describe("the value of an option", () => {
  it.each<[string, (text: string, option: string) => unknown, Readonly<Record<string, unknown>>]>([
    ["--batch-size", numberFrom(1), { "500": 500, "1": 1 }],
    ["--concurrency", parseConcurrency, { auto: "auto", "1": 1, "32": 32 }],
    [
      "--batch-bytes",
      parseBytes,
      { "65536": 65_536, "512KiB": 512 * 1024, "1MiB": 2 ** 20, "2 gib": 2 ** 31 },
    ],
    ["--timeout", parseDuration, { "60": 60_000, "500ms": 500, "1.5s": 1500, "15m": 900_000 }],
    ["--timeout", parseDuration, { "2h": 7_200_000, "0": 0 }],
    ["--rate", parseRate, { "20": 20, "0.5": 0.5 }],
    ["--port", numberFrom(0, 65_535), { "0": 0, "8700": 8700, "65535": 65_535 }],
  ])("%s is read", (option, parse, values) => {
    for (const [text, value] of Object.entries(values)) expect(parse(text, option)).toEqual(value);
  });

  it.each<[string, (text: string, option: string) => unknown, string, string]>([
    ["--batch-size", numberFrom(1), "0|-1|1.5|1e3|| 1|ten|1234567890123", "whole number"],
    ["--concurrency", parseConcurrency, "0|Auto||-1|1.5|many", "whole number of at least 1"],
    ["--batch-bytes", parseBytes, "0|1.5MiB|1TB|1MB|-1|MiB", "size such as"],
    ["--timeout", parseDuration, "-1s|1d|s|1 week|999999999h", "time such as"],
    ["--timeout", parseTimeout, "0", "expected a time above 0"],
    ["--rate", parseRate, "0|-1|fast|1e9|0.0", "above 0"],
    ["--port", numberFrom(0, 65_535), "65536|99999|-1|x|", "0 to 65535"],
    ["--safe-status", parseStatuses, "503,200", "expected 408 or"],
  ])("%s is refused if it is none: %#", (option, parse, texts, why) => {
    for (const text of texts.split("|"))
      expect(() => parse(text, option)).toThrow(new RegExp(`^${option} "${text}": .*${why}`));
  });

  it("may be statuses that settle nothing", () => {
    expect([...parseStatuses("503, 408", "--safe-status")]).toEqual([503, 408]);
  });
});
