import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

/** The first words of an item, the file with its test, and words of the test's name. */
type Tested = readonly [item: string, file: string, name: string];

const SHARED = "test/cli/shared-state.test.ts";
const PARTS = "test/cli/state-in-parts.test.ts";
const LOST = "test/cli/lost-state.test.ts";
const NIGHTS = "test/cli/nights.test.ts";
const SIGNALS = "test/cli/signals.test.ts";
const SHOWN = "test/cli/not-shown.test.ts";

const LISTS: readonly (readonly [title: string, tested: readonly Tested[]])[] = [
  [
    "The state directory, lost or shared",
    [
      ["another machine pushes", SHARED, "keeps a table locked against another machine of the same name"],
      ["the clocks of two machines", SHARED, "keeps a table locked by a machine whose clock is ten minutes"],
      ["a push was paused", SHARED, "lets the later of two holders go on: the one that was paused"],
      ["a machine without power", "test/store/table-lock.test.ts", "free once it was silent for longer than"],
      ["a journal lost lines", LOST, "all lines of its journal but two"],
      ["the directory of a run", LOST, "the run's directory"],
      ["a byte or a line of a table's book", LOST, "keeps a book up to a flipped bit in line %i"],
      ["a file of `prints`", NIGHTS, "with a lost or damaged part stops every push of its table"],
      ["a book is lost", PARTS, "nothing is created twice, and the advice leads on"],
      ["the lock of a table is lost", LOST, "the lock's hand-over"],
      ["a part belongs", "test/store/state-directory.test.ts", "refuses a part that others may write (%j)"],
    ],
  ],
  [
    "Faults around a push",
    [
      [
        "A gateway times out",
        "test/send/send-order.test.ts",
        "overwrites no newer value with an old one: %s",
      ],
      [
        "A command ends without the answers",
        "test/cli/late-across-commands.test.ts",
        "keeps %s waiting, which is reported and ends at a signal",
      ],
      [
        "A service answers twice",
        "test/send/connection.test.ts",
        "gets a connection for each request from the first",
      ],
      [
        "A pattern takes exponential time",
        "test/fields/bound-matching.test.ts",
        "is stopped if it would not end, naming field, value and pattern",
      ],
      ["A pipe or a query", SIGNALS, "can be interrupted by a signal: a query that hangs, in <(...)"],
      ["An input that can be read only once", SIGNALS, "is copied no further than maxInputBytes: %s"],
      ["A file, a name or an answer", SHOWN, "are escapes in errors, in words and with --json"],
      ["A token is in a URL", SHOWN, "is not repeated: ${line}"],
      [
        "The directory of temporary files",
        "test/survey/open-inputs.test.ts",
        "is made where nothing can be listed",
      ],
      [
        "JSON has more than 2,000",
        "test/read/json/json-limits.test.ts",
        "are at most 2,000, so that names made of data",
      ],
      ["A certificate does not verify", "test/cli/certificates.test.ts", "of an unknown authority"],
      [
        "`localhost` leads",
        "test/send/connection.test.ts",
        "is this machine, whatever the names of the system say",
      ],
      ["A signal comes after", SIGNALS, "that comes right after the summary leaves it the last event"],
    ],
  ],
];

describe.each(LISTS)("The topic troubles, %s", (title, tested) => {
  it("has a test for each item", async () => {
    const topic = await readFile("src/help/troubles.md", "utf8");
    const [, section = ""] = topic.split(`\n## ${title}\n`);
    const items = section.split(/\n## /)[0]!.split(/^- /m).slice(1);
    expect(items.map((item, at) => item.startsWith(tested[at]?.[0] ?? "?"))).toEqual(tested.map(() => true));
    for (const [, file, name] of tested) {
      expect([file, (await readFile(file, "utf8")).includes(name)]).toEqual([file, true]);
    }
  });
});
