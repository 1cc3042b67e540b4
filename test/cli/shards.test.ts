import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { draftPlan, enforcePlan, readPlan } from "../../src/shards/shard-plan.ts";
import { doubtIn } from "../support/decide.ts";
import { runProcess } from "../support/run-process.ts";
import { expectEnd } from "../support/scenario.ts";
import {
  byKey,
  createsInLedger,
  HEADER,
  mixed,
  numbers,
  openShardWorld,
  sentNumbers,
} from "../support/shard-world.ts";
import { runsIn } from "../support/table-parts.ts";
import { makeFile } from "../support/temp-files.ts";

const FULL = ["--exports", "full"];

describe("a plan", () => {
  it("is shared by shards that send every row once, and closes once into the ledger", async () => {
    const { service, env, out, run, planned, shard, shards, runs } = await openShardWorld();
    const { file, said } = await planned(mixed(1001), 4);
    expect(said).toContain("501 updates, 500 creates in 4 shards; nothing was sent");
    const parts = (await readdir(out)).filter((name) => name.startsWith("part-")).toSorted();
    expect(parts).toEqual([1, 2, 3, 4].map((number) => `part-0-${number}.rows`));
    // The shards need the files no more.
    await rm(file);
    expect(service.taken).toEqual([]);
    const ends = await shards(4);
    const counts = ends.map(({ stdout }) => /(\d+) rows read: (\d+) accepted/.exec(stdout)?.slice(1) ?? []);
    for (const [rows, accepted] of counts) expect(accepted).toBe(rows);
    expect(counts.reduce((sum, [rows]) => sum + Number(rows), 0)).toBe(1001);
    expect(sentNumbers(service.taken)).toEqual(numbers(1001));
    const first = await runs();
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining("1,001 rows: 1,001 accepted")]);
    const again = await runs();
    expect([again.code, again.stdout]).toEqual([0, first.stdout]);
    await expectEnd(shard(2, 4), 2, "is closed");
    expect((await createsInLedger(env.XDG_STATE_HOME)).reduce((sum, one) => sum + one, 0)).toBe(500);
    await writeFile(file, mixed(1001));
    await expectEnd(run([file, "-t", "commandes", ...FULL]), 0, "501 accepted, 500 skipped");
    expect(await readdir(out)).toContain("closed");
  });

  it("is pushed by the version that made it, and by no other", async () => {
    const { service, out, planned, shard } = await openShardWorld();
    await planned(mixed(10), 2);
    await draftPlan(out, { ...(await readPlan(out)), program: "0.0.9" });
    await enforcePlan(out);
    await expectEnd(shard(1, 2), 2, "was made by rec-push 0.0.9", "run its shards with rec-push 0.0.9");
    expect(service.taken).toEqual([]);
  });

  it("keeps the order of keys that come again in a later file", async () => {
    const { service, plan, shards } = await openShardWorld(5);
    const rows = (from: number, keyOf: (at: number) => number): string =>
      HEADER +
      numbers(60)
        .map((at) => `K${keyOf(at)};${from + at};1,5\n`)
        .join("");
    const one = await makeFile(
      "one.csv",
      rows(0, (at) => at + 100),
    );
    const two = await makeFile(
      "two.csv",
      rows(60, (at) => 159 - at),
    );
    expect((await plan([one, two], 2)).code).toBe(0);
    // One after the other: a key whose files are in different shards would come in the wrong order.
    for (const only of [2, 1]) await shards(2, [only]);
    const keys = byKey(service.taken);
    expect(keys.size).toBe(60);
    for (const [first, second] of keys.values()) expect(second).toBeGreaterThanOrEqual(Math.max(60, first!));
  });

  it("leaves out once what the ledger holds, and says so once", async () => {
    const { service, run, planned, shards, runs, creates } = await openShardWorld();
    const exports = ["--exports", "full", "--identify-by", "num_commande"];
    const before = await makeFile("before.csv", mixed(100));
    expect((await run([before, "-t", "commandes", ...exports])).code).toBe(0);
    service.taken.length = 0;
    const { file, said } = await planned(mixed(300), 3, exports);
    expect(said).toContain("150 updates, 100 creates, 50 skipped");
    const ends = await shards(3);
    const skipped = ends.map(({ stdout }) => Number(/(\d+) skipped/.exec(stdout)?.[1] ?? "0"));
    expect(skipped.reduce((sum, one) => sum + one, 0)).toBe(50);
    const odd = sentNumbers(service.taken).filter((number) => number % 2 === 1);
    expect(odd).toEqual(numbers(300).filter((number) => number % 2 === 1 && number >= 100));
    expect((await runs()).code).toBe(0);
    service.taken.length = 0;
    expect((await run([file, "-t", "commandes", ...exports])).code).toBe(0);
    expect(creates()).toEqual([]);
  });

  it("keeps the rows that are rejected in the directory of their shard", async () => {
    const { service, out, planned, shard, runs } = await openShardWorld();
    const rows = numbers(40).map((at) => `K${at + 100};${at === 25 ? "x" : at};1,5\n`);
    const { said } = await planned(HEADER + rows.join(""), 2, ["--on-invalid", "skip"]);
    expect(said).toContain("39 updates, 0 creates, 1 row rejected");
    const ends = [await shard(1, 2), await shard(2, 2)];
    const at = ends.findIndex(({ code }) => code === 4);
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set([0, 4]));
    expect(ends[at]!.stdout).toContain(" 1 rejected");
    expect(sentNumbers(service.taken)).toEqual(numbers(40).filter((at) => at !== 25));
    const closed = await runs();
    expect(closed.code).toBe(4);
    const own = runsIn(join(out, "shards", String(at + 1)));
    const [run = ""] = await readdir(own);
    expect(closed.stdout).toContain(join(own, run));
    const rejects = (await readFile(join(own, run, "rejects.csv"), "utf8")).trim().split("\n");
    expect(rejects).toEqual([
      "_rejected_run;_rejected_line;_rejected_field;_rejected_reason;_later_line;cle;num_commande;actual_billable_amount",
      expect.stringMatching(/^[^;]+;27;num_commande;.*;K125;x;1,5$/),
    ]);
    expect(ends[at]!.stderr + ends[at]!.stdout).toContain("orders.csv");
  });
});

describe("what a plan settles once", () => {
  it("lets a shard have no rows, or invalid ones only", async () => {
    const { service, planned, shard, runs } = await openShardWorld();
    const rows = numbers(40).map((at) => `;${at < 20 ? "x" : at};1,5\n`);
    await planned(HEADER + rows.join(""), 4, ["--on-invalid", "skip"]);
    const ends = await Promise.all([1, 2, 3, 4].map((number) => shard(number, 4)));
    expect([ends[0]!.code, ends[0]!.stdout]).toEqual([4, expect.not.stringContaining("accepted")]);
    expect(ends[3]!.code).toBe(0);
    expect(sentNumbers(service.taken)).toEqual(numbers(40).slice(20));
    await expectEnd(runs(), 4, "4 settled");
  });

  it("tells where requests go, so that a shard needs only a token", async () => {
    const { service, env, out, planned, runs } = await openShardWorld();
    await planned(mixed(10), 1);
    const bare = (more: Record<string, string>) =>
      runProcess(["push", "--plan", out, "--shard", "1/1"], { env: more, others: "nothing" });
    expect((await bare({})).code).toBe(2);
    expect((await bare({ REC_PUSH_TOKEN: env.REC_PUSH_TOKEN })).code).toBe(0);
    expect(sentNumbers(service.taken)).toEqual(numbers(10));
    expect((await runs()).code).toBe(0);
  });

  it("compares the next file of the table with those that a plan pushed", async () => {
    const { out, run, plan, shard, runs } = await openShardWorld();
    for (const night of [1, 2, 3]) {
      const file = await makeFile("orders.csv", mixed(200 + night, night * 1000));
      const place = `${out}-${night}`;
      const words = ["--exports", "delta"];
      const made = await run(["plan", file, "-t", "commandes", "--shards", "1", "--out", place, ...words]);
      expect(made.code).toBe(0);
      expect((await run(["push", "--plan", place, "--shard", "1/1"])).code).toBe(0);
      expect((await run(["runs", "--plan", place])).code).toBe(0);
    }
    const short = await makeFile("orders.csv", mixed(4, 9000));
    const { stderr } = await plan([short], 1, ["--exports", "delta"]);
    expect(stderr).toContain("is unlike all of the last 3 files");
    expect((await shard(1, 1)).stderr).not.toContain("is unlike");
    expect((await runs()).code).toBe(0);
  });
});

describe("a shard that is killed", () => {
  const WORDS = ["--batch-size", "5", "--timeout", "1s", "--late", "1s", "--concurrency", "2"];
  /** A shard was killed amid its requests, some of whose creates are in doubt; the other one has not begun. */
  async function openKilled() {
    const world = await openShardWorld();
    const { file } = await world.planned(mixed(40), 2, WORDS);
    await world.killed(12);
    const doubtful = await world.shard(1, 2);
    expect(doubtful.code).toBe(8);
    const decide = (decision: string) =>
      world.run(["resume", "--plan", world.out, "--shard", "1/2", "--in-doubt", decision]);
    return { ...world, file, doubtful, doubt: doubtIn(doubtful.stdout), decide };
  }

  it("leaves creates that the user says are not there to a push after the plan", async () => {
    const { service, shards, run, runs, file, doubt, decide, creates } = await openKilled();
    const decided = await decide(`${doubt}=absent`);
    expect([decided.code, decided.stdout]).toEqual([0, expect.stringContaining("once the plan is closed")]);
    const sent = service.taken.length;
    await expectEnd(decide(`${doubt}=absent`), 0, "was decided before");
    expect(service.taken).toHaveLength(sent);
    await shards(2, [2]);
    expect((await runs()).code).toBe(0);
    expect(new Set(sentNumbers(service.taken)).size).toBeLessThan(40);
    expect((await run([file, "-t", "commandes", ...FULL, "--late", "0s"])).code).toBe(0);
    expect(creates()).toEqual(numbers(40).filter((number) => number % 2 === 1));
  });

  it("sends the rows that the user leaves in the file of rows in doubt", async () => {
    const { service, shards, runs, doubtful, decide, creates } = await openKilled();
    const [, path = ""] = /--in-doubt (\S+\.csv)/.exec(doubtful.stdout) ?? [];
    const named = /in doubt: .*/.exec(doubtful.stdout)?.[0] ?? "nothing";
    await expectEnd(runs(), 8, `    ${named}\n`, `--shard 1/2 --in-doubt ${path}`);
    const told = JSON.parse((await runs(["--json"])).stdout.split("\n")[0]!) as { inDoubtAt: object[] };
    const number: number = expect.any(Number);
    expect(told.inDoubtAt).toContainEqual({
      file: expect.stringMatching(/orders\.csv$/),
      kind: "create",
      rows: number,
      first: number,
      last: number,
    });
    // The user says that the first of them is there.
    const [head, , ...left] = (await readFile(path, "utf8")).trimEnd().split("\n");
    await writeFile(path, `${[head, ...left].join("\n")}\n`);
    const before = new Set(creates());
    await expectEnd(decide(path), 0, { not: "error" });
    const now = creates().filter((number) => !before.has(number));
    expect(now).toEqual(expect.arrayContaining(left.map((line) => Number(line.split(";").at(-2)))));
    await shards(2, [2]);
    expect((await runs()).code).toBe(0);
    expect(service.taken.length).toBeGreaterThan(30);
  });

  it("is refused while another process pushes it, and its plan is not given up", async () => {
    const { service, planned, shard, start, runs } = await openShardWorld(100);
    await planned(mixed(200), 2, ["--batch-size", "5", "--concurrency", "2"]);
    const first = start(1, 2);
    await first.waitForStdout(/200 Update Items OK/);
    await expectEnd(shard(1, 2), 9, `pushing to the shard 1/2 (process ${first.child.pid}`);
    expect((await runs(["abandon"])).code).toBe(9);
    expect((await first.ended).code).toBe(0);
    expect(new Set(sentNumbers(service.taken)).size).toBe(service.taken.length);
    expect((await runs(["abandon"])).code).toBe(0);
  });

  it.each([
    ["journal", "the journal of the run"],
    ["book", "it began, and its book is gone"],
    ["state", "it began, and its book is gone"],
  ])("sends nothing once its %s is gone", async (lost, why) => {
    const { service, out, run, planned, shard, runs, creates } = await openShardWorld();
    const { file } = await planned(mixed(40), 2);
    expect((await shard(1, 2)).code).toBe(0);
    const own = join(out, "shards", "1");
    if (lost === "state") await rm(own, { recursive: true });
    else
      for (const path of await readdir(own, { recursive: true }))
        if (path.endsWith(lost)) await rm(join(own, path));
    const sent = service.taken.length;
    await expectEnd(shard(1, 2), 1, `the shard 1/2 cannot go on, and nothing was sent: ${why}`);
    if (lost === "journal")
      await expectEnd(
        run(["resume", "--plan", out, "--shard", "1/2", "--in-doubt", "0123abcd=applied"]),
        1,
        `the shard 1/2 cannot go on, and nothing was sent: ${why}`,
      );
    expect(service.taken.length).toBe(sent);
    expect((await runs()).code).toBe(1);
    await expectEnd(runs(["abandon"]), 0, "no more are created in the table until you say so");
    // The lost shard may have created any create of the file, and nobody knows which.
    const grown = await makeFile("grown.csv", mixed(44));
    for (const name of [file, grown]) {
      await expectEnd(run([name, "-t", "commandes"]), 1, "rec-push ledger add FILE");
    }
    const there = creates().map((number) => `;${number};1,5\n`);
    const held = await makeFile("there.csv", HEADER + there.join(""));
    expect((await run(["ledger", "add", held, "-t", "commandes"])).code).toBe(0);
    expect((await run([grown, "-t", "commandes", ...FULL])).code).toBe(0);
    expect([creates().length, new Set(creates()).size]).toEqual([22, 22]);
  });
});

describe("a plan that is open", () => {
  it("keeps other pushes from its table, and is given up by a command", async () => {
    const { service, out, run, plan, planned, shard, runs, creates } = await openShardWorld();
    const { file } = await planned(mixed(40), 2);
    const other = await makeFile("other.csv", mixed(4, 900));
    expect((await run(["runs"])).stdout).toContain(`rec-push runs --plan ${out}`);
    await expectEnd(run([other, "-t", "commandes"]), 9, "holds the table commandes");
    expect((await run([other, "-t", "factures"])).code).toBe(0);
    service.taken.length = 0;
    expect((await plan([other], 2)).code).toBe(9);
    expect((await run(["plan", other, "-t", "factures", "--shards", "2", "--out", out])).code).toBe(2);
    expect((await run(["plan", other, "-t", "commandes", "--shards", "2", "--out", `${out}-2`])).code).toBe(
      9,
    );
    expect((await shard(1, 2)).code).toBe(0);
    await expectEnd(runs(), 9, "1 settled, 1 waiting");
    const sent = service.taken.length;
    const created = creates().length;
    expect(sent).toBeGreaterThan(0);
    await expectEnd(runs(["abandon"]), 0, "is given up");
    expect((await shard(2, 2)).code).toBe(2);
    // Records that the plan created are left out; the rest is sent.
    const later = await run([file, "-t", "commandes", ...FULL]);
    const counted = `${40 - created} accepted, ${created} skipped`;
    expect([later.code, later.stdout]).toEqual([0, expect.stringContaining(counted)]);
    expect((await run([other, "-t", "commandes"])).code).toBe(0);
  });

  it("is given up where its directory is lost, and its creates are in doubt until a person decides", async () => {
    const { out, run, planned, runs, creates } = await openShardWorld();
    const { file } = await planned(mixed(40), 2);
    await rm(out, { recursive: true });
    expect((await run([file, "-t", "commandes"])).code).toBe(9);
    const lost = await runs();
    expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining("is lost from")]);
    const [, giveUp = ""] = /\(rec-push (runs abandon .*?)\)/.exec(lost.stderr) ?? [];
    const given = await run(giveUp.split(" "));
    expect([given.code, given.stdout]).toEqual([0, expect.stringContaining("20 creates of")]);
    const same = await run([file, "-t", "commandes", ...FULL]);
    expect([same.code, same.stdout]).toEqual([8, expect.stringContaining("20 accepted, 20 skipped")]);
    expect(creates()).toEqual([]);
    const [, absent = ""] = /rec-push (resume \S+ --in-doubt [0-9a-f]{8}=absent)/.exec(given.stdout) ?? [];
    expect(same.stderr + same.stdout).toContain(absent.split(" ")[3]);
    for (const _ of ["first", "again"]) expect((await run(absent.split(" "))).code).toBe(0);
    const grown = await makeFile("grown.csv", mixed(44));
    expect((await run([grown, "-t", "commandes"])).stdout).toContain("44 accepted");
    expect(creates()).toHaveLength(22);
  });

  it("whose directory is lost is settled step by step where only some of its creates are there", async () => {
    const { service, out, run, planned, shard, runs } = await openShardWorld();
    const rows = numbers(20).map((number) => `${number};13/07/2016\n`);
    const { file } = await planned(`num_commande;date_billed\n${rows.join("")}`, 2);
    expect((await shard(1, 2)).code).toBe(0);
    const there = sentNumbers(service.taken);
    expect(there).toHaveLength(10);
    await rm(out, { recursive: true });
    const { stdout } = await runs(["abandon"]);
    const steps =
      /if only some are there: rec-push (resume \S+ --in-doubt \S+), then rec-push (ledger add FILE --table NAME), where/;
    const [, absent = "", add = ""] = steps.exec(stdout) ?? [];
    const some = rows.filter((row) => there.some((number) => row.startsWith(`${number};`)));
    const known = await makeFile("there.csv", `num_commande;date_billed\n${some.join("")}`);
    const say = async (): Promise<string> =>
      (await run(add.replace("FILE", known).replace("NAME", "commandes").split(" "))).stderr;
    expect(await say()).toContain("10 in doubt are added only once that is settled");
    for (const _ of ["first", "again"]) expect((await run(absent.split(" "))).code).toBe(0);
    expect(await say()).toContain("10 of 10 creates added");
    const words = ["-t", "commandes", ...FULL];
    for (const _ of ["first", "again"]) expect((await run([file, ...words])).code).toBe(0);
    expect(sentNumbers(service.taken)).toEqual(numbers(20));
  });

  it("sends nothing of a part that was edited, cut, emptied or lost, nor where its own file was changed", async () => {
    const { service, out, planned, shard, shards, runs } = await openShardWorld();
    await planned(mixed(40), 2);
    const path = join(out, "part-0-1.rows");
    const text = await readFile(path, "utf8");
    const lines = text.split("\n");
    const edited = [
      text.replace('"1.5"', '"2.5"'),
      lines.toSpliced(2, 1).join("\n"),
      text.slice(0, -10),
      text + lines[1]!,
      "",
    ];
    for (const other of [...edited, undefined]) {
      if (other === undefined) await rm(path);
      else await writeFile(path, other);
      expect(other).not.toBe(text);
      await expectEnd(shard(1, 2), 1, `the plan cannot be used: ${path}`, "rec-push runs abandon --plan");
    }
    await writeFile(path, text);
    const plan = await readFile(join(out, "plan"), "utf8");
    await writeFile(join(out, "plan"), plan.replace('"shards":2', '"shards":3'));
    expect((await shard(1, 2)).code).toBe(1);
    expect(service.taken).toEqual([]);
    await writeFile(join(out, "plan"), plan);
    await shards(2);
    expect(sentNumbers(service.taken)).toEqual(numbers(40));
    expect((await runs()).code).toBe(0);
  });
});

describe("rec-push plan", () => {
  it.each([
    [
      ["FILE", "--idempotency-key"],
      "unknown option '--idempotency-key'\n  leave it out: it is an option of push, resume",
    ],
    [["FILE", "FILE"], "has the same content"],
    [["REJECTS"], "holds rejects of an earlier push: a plan cannot share it out"],
  ])("refuses %j by name, with exit 2", async (argv, named) => {
    const { out, plan } = await openShardWorld();
    const file = await makeFile("orders.csv", mixed(40));
    const rejects = await makeFile(
      "a.csv",
      "_rejected_run;_rejected_line;cle;num_commande\nR;2;A1;1\nR;3;A2;2\n",
    );
    await expectEnd(
      plan(
        argv.map((word) => (word === "FILE" ? file : word === "REJECTS" ? rejects : word)),
        4,
      ),
      2,
      named,
    );
    expect(await readdir(out).catch(() => [])).toEqual([]);
  });

  it("shares out what can be read only once, and the last rows of keys only", async () => {
    const { service, env, out, plan, shards, runs } = await openShardWorld();
    const text = `${HEADER}${numbers(40)
      .map((at) => `K${100 + (at % 30)};${at};1,5\n`)
      .join("")}`;
    const words = ["-t", "commandes", "--shards", "2", "--out", out, "--on-repeat", "last"];
    await expectEnd(
      runProcess(["plan", "-", ...words], { env, stdin: text, others: "nothing" }),
      0,
      "30 updates, 0 creates, 10 skipped",
    );
    expect((await plan(["-"], 2)).code).not.toBe(0);
    await shards(2);
    expect(sentNumbers(service.taken)).toEqual(numbers(40).slice(10));
    await expectEnd(runs(), 0, "30 accepted, 10 skipped");
  });

  it("refuses while an older run is open on the table", async () => {
    const { service, run, plan } = await openShardWorld();
    service.stopAfter(0);
    const open = await run([
      await makeFile("older.csv", mixed(4)),
      "-t",
      "commandes",
      "--timeout",
      "1s",
      "--retries",
      "0",
    ]);
    expect(open.code).toBe(8);
    await expectEnd(plan([await makeFile("orders.csv", mixed(40, 500))], 2), 2, "is still open");
  });

  it("has a shard refuse what the plan has settled", async () => {
    const { planned, shard } = await openShardWorld();
    await planned(mixed(40), 2);
    await expectEnd(shard(1, 2, ["--decimal", "."]), 2, "a shard takes no --decimal: what is sent");
    await expectEnd(shard(1, 2, ["--results", "r.csv"]), 2, "a shard takes no --results");
    expect((await shard(1, 3)).code).toBe(2);
    expect((await shard(1, 2, ["--again"])).code).toBe(2);
  });
});

const creates = (from: number): string => `${HEADER};${from};1,5\n`;

it("a decision on what a shard of several files has in doubt is about one of them", async () => {
  const { service, plan, shard, run, runs } = await openShardWorld();
  const files = [await makeFile("one.csv", creates(100)), await makeFile("two.csv", creates(200))];
  expect((await plan(files, 1, ["--timeout", "1s"])).code).toBe(0);
  service.stopAfter(0);
  const doubtful = await shard(1, 1);
  expect(doubtful.code).toBe(8);
  service.stopAfter(Infinity);
  const steps = [
    ...doubtful.stdout.matchAll(
      /if those of (\S+) are there: rec-push (resume .* --in-doubt )(\S+)=applied/g,
    ),
  ];
  expect(steps.map(([, file]) => file)).toEqual(files);
  const [one = "", two = ""] = steps.map(([, , words = "", doubt = ""]) => words + doubt);
  const listed = (await runs()).stdout;
  for (const words of [one, two]) expect(listed).toContain(`rec-push ${words}=applied`);
  await expectEnd(run(`${one}=applied`.split(" ")), 8, "1 create in");
  expect(service.taken).toEqual([]);
  const second = await run(`${two}=resend`.split(" "));
  expect(second.code).toBe(0);
  expect(sentNumbers(service.taken)).toEqual([200]);
  await expectEnd(run(`${two}=resend`.split(" ")), 0, "was decided before");
  expect(service.taken).toHaveLength(1);
  await expectEnd(run(`${two.slice(0, -8)}01234567=resend`.split(" ")), 2, "nothing is in doubt");
  expect((await runs()).code).toBe(0);
});

it("a run of a shard is not named: a shard goes on with all of its runs", async () => {
  const { service, plan, run, runs, out } = await openShardWorld();
  const files = [await makeFile("one.csv", creates(100)), await makeFile("two.csv", creates(200))];
  expect((await plan(files, 1)).code).toBe(0);
  const [, name = ""] = /"runs":\["([^"]+)"/.exec((await runs(["--json"])).stdout) ?? [];
  const named = await run(["resume", name, "--plan", out, "--shard", "1/1"]);
  expect([named.code, named.stderr]).toEqual([2, expect.stringContaining(`${name} is named`)]);
  expect(service.taken).toEqual([]);
  const [, whole = ""] = /rec-push (push --plan .*?) sends the rest of all of them/.exec(named.stderr) ?? [];
  expect((await run(whole.split(" "))).code).toBe(0);
  expect(sentNumbers(service.taken)).toEqual([100, 200]);
});
