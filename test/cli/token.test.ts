import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { inEnv, nothingSent, scenario, type Step, typed } from "../support/scenario.ts";

const TOKEN = "c4n4ry-of-the-token";
const WRONG = "c4n4ry-of-another";
const FILES = { "rows.csv": "cle,state\nA1,x\n", token: `${TOKEN}\n`, wrong: WRONG };
const HIDDEN = { not: "c4n4ry" };

/** The service takes this token only, and the environment names none. */
const guarded: Step = async (world) => {
  const sandbox = await openSandbox({ token: TOKEN });
  Reflect.deleteProperty(world.env, "REC_PUSH_TOKEN");
  Object.assign(world.env, { REC_PUSH_URL: sandbox.url });
};
const mode =
  (name: string, bits: number): Step =>
  ({ directory }) =>
    chmod(join(directory, name), bits);
const BY_FILE = "push rows.csv --token-file @token";

describe("a token file", () => {
  scenario("that everyone may read is used, and that everyone may write is refused, with advice", FILES, [
    guarded,
    mode("token", 0o640),
    [BY_FILE, 0, { not: "chmod" }],
    mode("token", 0o644),
    [BY_FILE, 0, "everyone on this machine can read the token file token (--token-file); chmod 600 token"],
    [`${BY_FILE} --json`, 0, /"event":"notice",.*"text":"everyone on this machine/],
    mode("token", 0o602),
    [BY_FILE, 2, "everyone on this machine can write the token file token (--token-file)", "chmod 600 token"],
  ]);
  for (const token of [TOKEN, "/etc/rec-push/no-such-token"])
    scenario(`that is not there may be the token itself, which is not shown: ${token}`, FILES, [
      guarded,
      [
        `push rows.csv --token-file ${token}`,
        2,
        "cannot read the token file (--token-file): ENOENT",
        HIDDEN,
        { not: token },
      ],
    ]);
  scenario("that is there and cannot be read is named with its path", FILES, [
    guarded,
    ({ directory }) => mkdir(join(directory, "a")),
    ["push rows.csv --token-file @a", 2, "cannot read the token file a (--token-file): EISDIR"],
  ]);
  const said = "is not the token alone";
  for (const text of [`Bearer ${TOKEN}`, `"${TOKEN}"`])
    scenario(
      `that holds more than the token is refused before anything is sent: ${text}`,
      { ...FILES, token: text },
      [
        [BY_FILE, 2, said, HIDDEN],
        inEnv({ REC_PUSH_TOKEN: text }),
        ["push rows.csv", 2, said, HIDDEN],
        nothingSent,
      ],
    );
});

describe("a token command", () => {
  /** A push whose command is a program with a blank in its path. */
  const byCommand = (
    text: string,
    exit: number,
    { words = "", argv = "", says = [] as readonly string[] } = {},
  ): readonly Step[] => [
    guarded,
    ({ file }) => file("a program.cjs", text),
    ({ env, directory }) =>
      Object.assign(env, {
        REC_PUSH_TOKEN_COMMAND: `"${process.execPath}" "${directory}/a program.cjs" ${words}`,
      }),
    typed(
      ({ env }) =>
        `push rows.csv --token-command '${(env as Record<string, string>)["REC_PUSH_TOKEN_COMMAND"]}' ${argv}`,
      exit,
      HIDDEN,
      ...says,
    ),
    [`push rows.csv --again ${argv}`, exit, HIDDEN, ...says],
  ];
  scenario(
    "prints the token on its first line, on an option or in the environment; notes below do not count",
    FILES,
    [
      ...byCommand(`console.log("  ${TOKEN}\\nurl: https://x"); console.error("c4n4ry on stderr");`, 0, {
        argv: "--verbose",
      }),
      ["push rows.csv --token-file @token --token-command x", 2],
      inEnv({ REC_PUSH_TOKEN: "another-token" }),
      typed(
        ({ directory }) =>
          `push rows.csv --token-command '"${process.execPath}" "${directory}/a program.cjs"'`,
        0,
      ),
    ],
  );
  scenario(
    "gets its words as they are, without a shell",
    FILES,
    byCommand(
      `const words = process.argv.slice(2).join("|");
      console.log(words === "$HOME|a b|;|>x|q" ? "${TOKEN}" : "not " + words);`,
      0,
      { words: '$HOME "a b" ; >x "q"' },
    ),
  );
  scenario("is not given the rows on standard input", FILES, [
    ...byCommand(
      `let read = ""; process.stdin.on("data", (data) => (read += data));
      process.stdin.on("end", () => console.log(read === "" ? "${TOKEN}" : "read"));`,
      0,
    ),
  ]);
  for (const [name, text, said] of [
    [
      "ends with 3",
      "console.log('c4n4ry'); console.error('the vault is locked'); process.exit(3)",
      "it ended with 3: the vault is locked",
    ],
    ["prints nothing", "", "its first line is empty"],
    ["prints what no header carries", "console.log('c4n4ry\\u00e9')", "is not the token alone"],
    ["prints without end", "for (;;) require('fs').writeSync(1, 'c4n4ry'.repeat(1000))", "STDIO_MAXBUFFER"],
  ] as const)
    scenario(`that ${name} ends with exit 2`, FILES, byCommand(text, 2, { says: [said] }));
  scenario("that names no program is refused", FILES, [
    guarded,
    ["push rows.csv --token-command 'no-such-program x'", 2, "it ended with ENOENT", "(--token-command)"],
    [`push rows.csv --token-command "'' x"`, 2, "it is empty", "(--token-command)"],
  ]);
});

describe("a token that the service refuses is told with its place, never with its value", () => {
  const command = `"${process.execPath}" -p "'${WRONG}'"`;
  const profile =
    (given: (directory: string) => object): Step =>
    async ({ file, directory }) => {
      await file("own.json", JSON.stringify({ profiles: { night: given(directory) } }));
    };
  for (const [place, words, from, given = () => undefined] of [
    ["the environment", "", "REC_PUSH_TOKEN", inEnv({ REC_PUSH_TOKEN: WRONG })],
    [
      "a command",
      `--token-command '${command.replaceAll("'", `'"'"'`)}'`,
      `the command ${process.execPath} (--token-command)`,
    ],
    [
      "a profile's file",
      "--config own.json",
      "the file wrong (profile night of own.json)",
      profile((directory) => ({ tokenFile: join(directory, "wrong") })),
    ],
    [
      "a variable that a profile's command prints",
      "--config own.json",
      "the command printenv (profile night of own.json)",
      profile(() => ({ tokenCommand: "printenv NIGHT_TOKEN" })),
    ],
  ] as readonly (readonly [string, string, string, Step?])[])
    scenario(place, FILES, [
      guarded,
      mode("wrong", 0o600),
      inEnv({ NIGHT_TOKEN: WRONG }),
      given,
      [`push rows.csv ${words}`, 5, `which came from ${from}`, HIDDEN],
    ]);
});
