import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { RunAccount } from "../../src/store/count-run.ts";
import { beginning } from "../../src/store/open-run.ts";
import { readJournal } from "../../src/store/journal.ts";
import { type AppliedRecord, ChaosService } from "../chaos/chaos-service.ts";
import type { Fault } from "../chaos/draw-fault.ts";
import { createdOf } from "../chaos/judge-world.ts";
import { type ChaosRow, toCsv } from "../chaos/rows.ts";
import { FACTS } from "../store/run-facts.ts";
import { watchJournal } from "../store/watch-journal.ts";
import { decisionOn } from "../support/decide.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";
import { atNight } from "../support/draws.ts";

const fault = (how: Fault["how"], status = 200, applies = true): Fault => ({
  applies,
  delayMs: 2,
  how,
  status,
});
const GOOD = fault("answer");

/** Every second row is a create, a few rows are bad, and keys repeat. */
const ROWS: readonly ChaosRow[] = Array.from({ length: 28 }, (_, at) => {
  const isCreate = at % 2 === 0;
  const key = isCreate ? undefined : `K${at % 5}`;
  const place = { line: at + 2, kind: isCreate ? "create" : "update", ordinal: at >> 1 } as const;
  return { ...place, key, number: String(100_000 + at), isBad: at % 20 === 7 || at === 16 };
});

/**
 * Pushes a file, in several commands, to a service in trouble until only doubt is left; the service applies what it
 * leaves in doubt, or does not. Then the user says so.
 */
async function pushInTrouble(isDoubtApplied: boolean) {
  const lost = [fault("drop", 0, isDoubtApplied), fault("answer", 500, isDoubtApplied)];
  const faults = {
    create: [GOOD, GOOD, lost[0], GOOD, GOOD, lost[1], GOOD],
    update: [GOOD, fault("answer", 500, false), GOOD, fault("answer", 429, false), GOOD, fault("drop"), GOOD],
  };
  const requests = { create: 0, update: 0 };
  const service = await ChaosService.start((isOfCreates) => {
    const kind = isOfCreates ? "create" : "update";
    return faults[kind][requests[kind]++ % faults[kind].length] ?? GOOD;
  });
  onTestFinished(() => service.close());
  const file = await makeFile("rows.csv", toCsv(ROWS, false));
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: service.url, REC_PUSH_TOKEN: "power-token" };
  const pace = "--late 100ms --batch-size 3 --concurrency 8 --retries 0 --max-failed 3".split(" ");
  const watch = await watchJournal(() => service.applied.length);
  for (let [isOpen, commands] = [true, 1]; isOpen; commands++) {
    service.isCalm = commands > 8;
    const { stdout } = await runMain([file, "-t", "commandes", "--atomic-batches", ...pace], { env });
    isOpen = /\d (not sent|failed)/.test(stdout.slice(stdout.indexOf("rows read")));
  }
  service.isCalm = true;
  const listed = await runMain(["runs", "--json"], { env });
  if (!listed.stdout.includes('"doubt":')) return { service, watch };
  const command = (argv: readonly string[]) => runMain(argv, { env });
  await command(await decisionOn(command, isDoubtApplied ? "applied" : "resend"));
  return { service, watch };
}

/** The journal as a process that resumes the run finds it. */
async function takeUp(path: string): Promise<RunAccount> {
  const account = new RunAccount(FACTS);
  await readJournal(path, (entry, line) => account.take(entry, line));
  account.take(beginning(), { number: 0, sum: 0 });
  return account;
}

function finalValues(rows: readonly ChaosRow[], applied: readonly AppliedRecord[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const { key, number } of applied) if (key !== undefined) values.set(key, number);
  for (const { key, number, isBad } of rows) if (key !== undefined && !isBad) values.set(key, number);
  return values;
}

describe.runIf(process.platform === "linux")("a journal that a power failure cut off", () => {
  it.each([
    ["applied", true],
    ["never applied", false],
  ])(
    "creates nothing twice, loses nothing and keeps the order, at any byte (doubt %s)",
    async (_, isApplied) => {
      const { service, watch } = await pushInTrouble(isApplied);
      const text = watch.text();
      for (const part of "intent accepted refused inDoubt failed decision end".split(" "))
        expect(text).toContain(`"${part}"`);
      const expected = finalValues(ROWS, []);
      const path = join(await makeDirectory(), "journal");
      await writeFile(path, text);
      for (let bytes = Buffer.byteLength(text); bytes >= 0; bytes -= atNight ? 1 : 23) {
        await truncate(path, bytes);
        const account = await takeUp(path);
        const least = service.applied.slice(0, watch.leastAppliedAt(bytes));
        const most = service.applied.slice(0, watch.mostAppliedAt(bytes));
        const created = { least: new Set(createdOf(least)), most: new Set(createdOf(most)) };
        const isOpen = ({ kind, ordinal }: ChaosRow) => account.standingOf(kind, ordinal) === undefined;
        const isAccepted = ({ kind, ordinal }: ChaosRow) => account.standingOf(kind, ordinal) === "accepted";
        const isUpdated = (row: ChaosRow) =>
          least.some(({ key, number }) => key === row.key && number === row.number);
        const creates = ROWS.filter(({ kind }) => kind === "create");
        const twice = creates.filter((row) => isOpen(row) && created.most.has(row.number));
        const lost = ROWS.filter(
          (row) =>
            isAccepted(row) && !(row.kind === "create" ? created.least.has(row.number) : isUpdated(row)),
        );
        expect({ bytes, twice, lost }).toEqual({ bytes, twice: [], lost: [] });
        expect(finalValues(ROWS.filter(isOpen), most)).toEqual(expected);
      }
    },
    180_000,
  );
});
