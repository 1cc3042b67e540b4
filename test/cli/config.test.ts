import { chmod, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { inEnv, nothingSent, scenario, type ScenarioWorld, type Step } from "../support/scenario.ts";

const FILES = { "orders.csv": "cle;Order No;remarks\nA1;551035;x\nA2;;y\n" };
const TABLE = { delimiter: ";", map: { "Order No": "num_commande" }, drop: ["remarks"] };
const FOUND = "rec-push.config.json";
/** The user's own config. */
const OWN = "own/rec-push/config.json";
const NOBODY = "http://127.0.0.1:9";

/** There is such a config; only the user's own one is of another directory. */
const config =
  (path: string, content: string | object | ((world: ScenarioWorld) => object)) =>
  async (world: ScenarioWorld): Promise<void> => {
    const said = typeof content === "function" ? content(world) : content;
    await mkdir(dirname(join(world.directory, path)), { recursive: true });
    await world.file(path, typeof said === "string" ? said : JSON.stringify(said));
    Object.assign(world.env, { XDG_CONFIG_HOME: join(world.directory, "own") });
  };
const found = (commandes: object): Step => config(FOUND, { tables: { commandes } });
/** The environment names no service. */
const unset: Step = ({ env }) => {
  for (const name of ["REC_PUSH_URL", "REC_PUSH_TOKEN"]) Reflect.deleteProperty(env, name);
};

describe("the config", () => {
  let sandbox: Awaited<ReturnType<typeof openSandbox>>;
  scenario(
    "says how a table's files are read, and the user's own where they go, with the token from a file beside it",
    FILES,
    [
      unset,
      found(TABLE),
      async (world) => {
        sandbox = await openSandbox({ dbVersions: ["7"] });
        const sent = { dbVersion: "7", body: "data", auth: "bearer" };
        const prod = { url: sandbox.url, tokenFile: "secrets/token", ...sent };
        await config(OWN, { profiles: { prod } })(world);
        await config("own/rec-push/secrets/token", `${sandbox.token}\n`)(world);
      },
      [
        ">push orders.csv -t commandes --only updates --empty send",
        0,
        `config: ${FOUND}, table "commandes"\nconfig: ${OWN}, profile "prod"\n`,
      ],
      () =>
        expect(heldBy(sandbox)).toEqual([
          { cle: "A1", num_commande: "551035" },
          { cle: "A2", num_commande: "" },
        ]),
    ],
  );

  const elsewhere = { url: NOBODY, tokenCommand: "printenv OTHER_TOKEN", dbVersion: "wrong" };
  scenario(
    "comes after option and environment, and a profile that was not named has no part in another service's push",
    FILES,
    [
      found({ ...TABLE, batchSize: 1, set: { source: "config", kind: "x" } }),
      config(OWN, { profiles: { elsewhere } }),
      [
        "push orders.csv --json --set source=line --batch-size 5",
        0,
        { tells: { event: "run", configs: [{ path: FOUND, table: "commandes" }, { path: OWN }] } },
        { not: /"event":"run".*"profile"/ },
        { tells: { event: "summary", batches: 1, accepted: 2 } },
      ],
    ],
    [
      { cle: "A1", num_commande: "551035", source: "line", kind: "x" },
      { cle: "A2", source: "line", kind: "x" },
    ],
  );

  scenario("never sends a profile's token to a service that another option names", FILES, [
    unset,
    found(TABLE),
    config(OWN, { profiles: { prod: { url: "https://prod.example", tokenCommand: "printenv PROD_TOKEN" } } }),
    inEnv({ PROD_TOKEN: "canary-of-prod" }),
    [`push orders.csv --url ${NOBODY}`, 2, "no access token"],
    inEnv({ REC_PUSH_URL: NOBODY }),
    ["push orders.csv --profile prod", 2, "REC_PUSH_URL name different services"],
  ]);

  const two = { profiles: { a: { url: "https://x.example" }, b: {} } };
  for (const [name, content, words, told] of [
    ["an unknown profile", { profiles: { prod: {}, test: {} } }, "--profile prd", "; there is prod in "],
    ["several profiles and none named", two, "", "no service to push to"],
    ["broken JSON", '{"tables": {},}', "", "c.json:1:15: broken JSON: expected a member name"],
    ["a config that is not there", {}, "--config other.json", "cannot read the config"],
  ] as const)
    scenario(`ends with 2 for ${name}`, FILES, [
      unset,
      config(FOUND, {}),
      config("c.json", content),
      inEnv({ REC_PUSH_CONFIG: "c.json" }),
      [`push orders.csv ${words}`, 2, told],
    ]);

  scenario("ends with 2 for a profile without a config, and for a config that everybody can write", FILES, [
    unset,
    ["push orders.csv --profile prod", 2, "no such profile; there is none"],
    found(TABLE),
    ({ directory }) => chmod(join(directory, FOUND), 0o666),
    ["push orders.csv --sandbox", 2, "chmod go-w"],
  ]);

  scenario("that is named says more about a field than one that was found, rule by rule", FILES, [
    found({ ...TABLE, fields: { num_commande: { type: "text", oneOf: ["1"] } } }),
    config("named.json", { tables: { commandes: { fields: { num_commande: { type: "digits" } } } } }),
    ["check orders.csv -t commandes --config named.json", 3, "-> num_commande, digits", "orders.csv:2: "],
  ]);
  scenario("is named with --config, from a directory below or anywhere", FILES, [
    config(FOUND, { tables: {} }),
    config("mine.json", { tables: { commandes: TABLE } }),
    async ({ directory }) => {
      const cwd = join(directory, "below");
      await mkdir(cwd);
      const path = `config: ${join(directory, FOUND)}`;
      const mine = `config: ${join(directory, "mine.json")}, table "commandes"\n${path}\n`;
      for (const [words, REC_PUSH_CONFIG, code, told] of [
        [[], "", 3, path],
        [["--config", "../mine.json"], "", 0, mine],
        [["--config", "../mine.json"], "../gone.json", 0, mine],
        [[], "../mine.json", 0, mine],
      ] as const) {
        const argv = ["check", join(directory, "orders.csv"), "--table", "commandes", ...words];
        const env = REC_PUSH_CONFIG === "" ? {} : { REC_PUSH_CONFIG };
        const end = await runMain(argv, { cwd, env, others: "nothing" });
        expect([end.code, end.stderr]).toEqual([code, expect.stringContaining(told)]);
      }
    },
  ]);

  scenario("says in check which section was used: the named one, the only one, or none", FILES, [
    found(TABLE),
    [">check orders.csv", 0, `${FOUND}, table "commandes"`],
    [">check orders.csv --table comandes", 3, 'no table used, it has "commandes"'],
    config(FOUND, { tables: { a: TABLE, b: TABLE } }),
    [">check orders.csv", 3, 'no table used, it has "a", "b"'],
  ]);

  const settled = (words: string, ...formats: readonly (readonly [format: string, by: string])[]): Step => [
    `push orders.csv --sandbox --json ${words}`,
    0,
    { tells: { event: "survey", columns: formats.map(([format, settledBy]) => ({ format, settledBy })) } },
  ];
  const fields = { a_amount: { type: "amount:." }, date_a: { type: "date:DD/MM/YYYY" } };
  const point = ["decimal point", "--type"] as const;
  scenario(
    "settles a format as the option does that has its name, which counts before it",
    { "orders.csv": "a_amount;b_amount;date_a\n1,234;1,234;05/07/2016\n" },
    [
      unset,
      found({ delimiter: ";", decimal: ",", fields }),
      settled("", point, ["decimal comma", "--decimal"], ["DD/MM/YYYY", "--type"]),
      settled(
        "--decimal . --type date_a=date:MM/DD/YYYY",
        point,
        ["decimal point", "--decimal"],
        ["MM/DD/YYYY", "--type"],
      ),
    ],
  );
});

describe("several configs", () => {
  const [SKIP, STATE] = [{ drop: ["x"], onInvalid: "skip" }, { state: { oneOf: ["found", "open"] } }];
  scenario(
    "are merged key by key: the named one before the found one, that before the user's own",
    { "orders.csv": "cle;state;remarks;x\nA1;open;1;2\nA2;;1;2\nA3;lost;1;2\n" },
    [
      found({ delimiter: ";", set: { b: "found", c: "found" }, fields: { state: { default: "found" } } }),
      config(OWN, {
        tables: { commandes: { delimiter: ",", set: { a: "own", b: "own", c: "own" }, ...SKIP } },
      }),
      config("named.json", {
        tables: { commandes: { set: { c: "named" }, fields: STATE, drop: ["remarks"] } },
      }),
      ["push orders.csv --config named.json", 4],
    ],
    [
      { cle: "A1", state: "open", a: "own", b: "found", c: "named" },
      { cle: "A2", state: "found", a: "own", b: "found", c: "named" },
    ],
  );

  for (const [name, named, words, of, profile] of [
    ["the only one of the most important config", { rehearsal: {} }, "", "named.json", "rehearsal"],
    ["the more important one of one name", { prod: {} }, "--profile prod", "named.json", "prod"],
  ] as const)
    scenario(`give a profile whole: ${name}`, FILES, [
      unset,
      config(FOUND, {}),
      config(OWN, { profiles: { prod: { url: NOBODY } } }),
      config("named.json", { profiles: named }),
      [
        `>push orders.csv -t commandes --config named.json --sandbox ${words}`,
        3,
        `config: ${of}, profile "${profile}"\n`,
        { not: /profile "[^]*profile "/ },
      ],
    ]);

  scenario("never send one config's token to another's URL", FILES, [
    unset,
    found(TABLE),
    config(OWN, { profiles: { prod: { url: NOBODY, tokenCommand: "printenv OWN_TOKEN" } } }),
    config("named.json", ({ sandbox }) => ({ profiles: { prod: { url: sandbox.url } } })),
    inEnv({ OWN_TOKEN: "own-canary" }),
    ["push orders.csv --config named.json", 2, "no access token"],
    nothingSent,
  ]);

  const onlyOnce = `config: ${FOUND}, table "commandes", profile "prod"\n`;
  scenario("count one file once, as the one that the user named", FILES, [
    unset,
    config(FOUND, ({ sandbox }) => ({
      profiles: { prod: { url: sandbox.url, tokenCommand: "printenv PROD_TOKEN" } },
      tables: { commandes: { ...TABLE, null: ["-"] } },
    })),
    inEnv({ PROD_TOKEN: "sandbox" }),
    [`push orders.csv --config ${FOUND}`, 0, onlyOnce, { not: /config: [^]*config: / }],
  ]);
});

describe("rules for fields", () => {
  const rules = { state: { required: true, oneOf: ["open", "closed"] }, code: { pattern: "X[0-9]" } };
  scenario("refuse rows", { "orders.csv": "cle,state,code\nA1,open,X1\nA2,,X2\nA3,lost,22\n" }, [
    found({ fields: rules }),
    [
      "push orders.csv --json",
      3,
      { tells: { event: "reject", line: 3, field: "state" } },
      { tells: { event: "reject", line: 4, field: "state" } },
      { tells: { event: "reject", line: 4, field: "code" } },
      { tells: { event: "summary", rejected: 2 } },
    ],
  ]);
});
