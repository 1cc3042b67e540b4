import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TABLE, type TableEntry } from "../../src/options/table.ts";
import { shareOf } from "../support/draws.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";
import { type Sample, SAMPLES } from "./resume-samples.ts";

/** A sandbox, a state directory, and the command of a sample. */
async function openSample(
  { argv, config, section = {} }: Sample,
  content: string | Buffer,
  isStopped: boolean,
) {
  const faults = isStopped ? ["status=401"] : [];
  const sandbox = await openSandbox({
    faults,
    dbVersions: ["v7"],
    client: { id: "importer", secret: "sandbox-secret" },
  });
  const home = makeStateHome();
  const file = await makeFile(content.toString().startsWith("{") ? "a.json" : "a.csv", content);
  const tokenFile = await makeFile("token", "sandbox");
  const configFile = join(home, "own.json");
  const writeSection = (commandes: object) =>
    writeFile(configFile, JSON.stringify({ ...config, tables: { commandes } }));
  await writeSection(section);
  const target = ["--table", "commandes", "--url", sandbox.url, "--config", configFile];
  const version = argv.includes("--db-version") ? [] : ["--db-version", "v7"];
  // A resume must not find in the environment or the working directory what its run does not keep.
  const token = config === undefined ? ["--token-file", tokenFile] : [];
  const env = { XDG_STATE_HOME: home };
  return {
    sandbox,
    held: () => heldBy(sandbox),
    writeSection,
    push: (options: readonly string[]) =>
      runMain([file, ...target, ...version, ...token, ...options], { env }),
    resume: (options: readonly string[]) => runMain(["resume", ...options], { env }),
  };
}

const kept = TABLE.filter(({ declaration: { journal } }) => journal !== "nothing");
/** The rules of fields are kept with the fields that a config declares. */
const isRule = ({ declaration: { config } }: TableEntry): boolean =>
  config.length === 1 && config[0]!.place === "field";
const deciding = TABLE.filter(
  (entry) => entry.declaration.records !== "none" || (isRule(entry) && entry.name !== "type"),
);
const samplesOf = (entries: typeof TABLE): [string, Sample][] =>
  entries.flatMap(({ name }) =>
    (SAMPLES[name] ?? []).map((sample): [string, Sample] => [
      `${name}: ${sample.argv.join(" ")} ${JSON.stringify(sample.section ?? {})}`,
      sample,
    ]),
  );

// Not only the options that are declared as kept: one with a wrong declaration would drop out of these tests.
const sampled = TABLE.filter(({ name }) => SAMPLES[name] !== undefined);

describe("every option that a run keeps", () => {
  it("has a command that shows it, and one that decides records a second one with another value", () => {
    const lacking = kept.filter(({ name }) => SAMPLES[name] === undefined);
    expect(lacking).toEqual([]);
    expect(deciding.filter(({ name }) => !SAMPLES[name]?.some(({ other }) => other !== undefined))).toEqual(
      [],
    );
  });

  it.each(shareOf(samplesOf(sampled), 16))("survives begin and resume: %s", async (_, sample) => {
    const { content, argv, again = [] } = sample;
    const whole = await openSample(sample, content, false);
    const { code } = await whole.push(argv);
    expect([0, 4]).toContain(code);
    const { sandbox, push, resume, held } = await openSample(sample, content, true);
    const begun = await push(argv);
    expect([begun.code, begun.stderr]).toEqual([5, expect.anything()]);
    sandbox.setFaults([]);
    const resumed = await resume(again);
    expect([resumed.code, resumed.stderr]).toEqual([code, expect.anything()]);
    expect(held()).toEqual(whole.held());
    expect(held()).not.toEqual([]);
  });
});

describe("every option that decides what the records are", () => {
  const samples = samplesOf(deciding).filter(([, { other }]) => other !== undefined);

  it.each(shareOf(samples, 16))("stops a resume with another value: %s", async (_, sample) => {
    const { argv, other, difference, content, bothRead = content, section = {}, otherSection } = sample;
    const { sandbox, push, held, writeSection } = await openSample(sample, bothRead, true);
    expect((await push(argv)).code).toBe(5);
    sandbox.setFaults([]);
    await writeSection(otherSection ?? section);
    const { code, stderr } = await push(other!);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/reads it differently/)]);
    expect(stderr).toMatch(difference!);
    expect(held()).toEqual([]);
    // The same value is no difference.
    await writeSection(section);
    expect((await push(argv)).code).toBe(0);
  });
});
