import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { placeCommand } from "../../src/cli/command-line.ts";
import { shareOf } from "../support/draws.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { BIN } from "../support/run-process.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** True if a program is installed; tests of missing shells are skipped. */
function hasProgram(name: string): boolean {
  return spawnSync("sh", ["-c", 'command -v "$0"', name]).status === 0;
}

/** The title of a program's tests, with the reason if they are skipped. */
function titleOf(name: string): string {
  return hasProgram(name) ? name : `${name} (skipped: it is not installed here)`;
}

describe("placeCommand", () => {
  it.each<[string, string[], string[]]>([
    ["a file", ["a.csv", "-t", "t"], ["push", "a.csv", "-t", "t"]],
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
    ["the version", ["-V"], ["-V"]],
  ])("finds the command with %s", (_, argv, expected) => {
    expect(placeCommand(argv)).toEqual(expected);
  });
});

/** A directory with a `rec-push` in the path, and the completion script of a shell. */
async function openShell(shell: string) {
  const cwd = await makeDirectory();
  const home = makeStateHome();
  const script = join(cwd, `script.${shell}`);
  const { code, stdout } = await runMain(["completion", shell]);
  expect(code).toBe(0);
  await writeFile(script, stdout);
  const command = join(cwd, "rec-push");
  await writeFile(command, `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`, { mode: 0o755 });
  const env = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: home,
    PATH: `${cwd}:${process.env["PATH"]}`,
    TERM: "dumb",
  };
  const run = (program: string, argv: readonly string[]): string => {
    const { stdout, stderr } = spawnSync(program, argv, { cwd, env, encoding: "utf8", timeout: 60_000 });
    return stdout + stderr;
  };
  return { cwd, script, run };
}

/** The typed line, words that must be offered, and words that must not. */
const TYPED: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["rec-push ch", ["check"], ["resume"]],
  ["rec-push check --on-inv", ["--on-invalid"], ["--again"]],
  ["rec-push runs --a", ["--all"], ["--again"]],
  ["rec-push runs ab", ["abandon"], ["--all"]],
  ["rec-push --table check --js", ["--json"], []],
  ["rec-push a.csv --auth b", ["both", "bearer"], []],
  ["rec-push help d", ["dates", "doctor"], ["runs"]],
  ["rec-push completion ", ["bash", "zsh", "fish", "powershell"], []],
  ["rec-push --token-file scr", ["script."], []],
];

describe.skipIf(!hasProgram("bash"))(`completion in ${titleOf("bash")}`, () => {
  it.each(shareOf(TYPED, 5))("of %j", async (typed, offered, others) => {
    const { script, run } = await openShell("bash");
    const words = typed
      .split(" ")
      .map((word) => `'${word}'`)
      .join(" ");
    const ask = `source "$0"; source "$0"
      COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _rec_push
      ((\${#COMPREPLY[@]})) || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
      printf '<%s>\\n' "\${COMPREPLY[@]}"`;
    const shown = run("bash", ["--norc", "-c", ask, script]);
    for (const word of offered) expect(shown).toContain(`<${word}`);
    for (const word of others) expect(shown).not.toContain(word);
  });

  it("evaluates nothing of what is typed, and leaves files to readline", async () => {
    const { cwd, script, run } = await openShell("bash");
    const ask = `source "$0"
      for typed in '$(touch pwned)' '\`touch pwned\`' '--table=$(touch pwned)'; do
        COMP_WORDS=(rec-push "$typed" "$typed"); COMP_CWORD=2; _rec_push
      done
      COMP_WORDS=(rec-push --body d); COMP_CWORD=2; _rec_push; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p rec-push`;
    const shown = run("bash", ["--norc", "-c", ask, script]);
    expect(shown).toBe("data\ncomplete -o bashdefault -o default -F _rec_push rec-push\n");
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
  });

  it("is a script that bash reads with all strict checks on", async () => {
    const { script, run } = await openShell("bash");
    expect(run("bash", ["-n", script])).toBe("");
    expect(run("bash", ["--norc", "-euc", 'source "$0"', script])).toBe("");
  });
});

describe.skipIf(!hasProgram("fish"))(`completion in ${titleOf("fish")}`, () => {
  it.each(TYPED)("of %j", async (typed, offered, others) => {
    const { script, run } = await openShell("fish");
    const shown = run("fish", [
      "-N",
      "-c",
      "source $argv[1]; source $argv[1]; complete -C $argv[2]",
      "--",
      script,
      typed,
    ]);
    const lines = shown.split("\n");
    const names = lines.map((line) => line.split("\t")[0]!);
    for (const word of offered) expect(names.some((name) => name.startsWith(word))).toBe(true);
    for (const word of others) expect(names.join(" ")).not.toContain(word);
    expect(new Set(lines).size).toBe(lines.length);
  });
});

describe.skipIf(!hasProgram("zsh"))(`completion in ${titleOf("zsh")}`, () => {
  it("finishes commands, options and their values at the prompt of a real zsh", async () => {
    const { cwd, script, run } = await openShell("zsh");
    const driver = join(cwd, "drive.zsh");
    await writeFile(driver, ZSH_DRIVER);
    const typed: readonly (readonly [string, string])[] = [
      ["rec-push chec", "rec-push check "],
      ["rec-push check --on-inv", "--on-invalid"],
      ["rec-push --auth access", "--auth access_token "],
      ["rec-push help enc", "help encodings "],
    ];
    const shown = run("zsh", ["-f", driver, script, ...typed.flat()]);
    for (const [, line] of typed) expect(shown).toContain(line);
    expect(existsSync(join(cwd, "pwned"))).toBe(false);
  });
});

/** Types each argument and a tab into an interactive zsh, and prints what its prompt then holds. */
const ZSH_DRIVER = `zmodload zsh/zpty
script=$1; shift
zpty -b z zsh -f -i
zpty -w z "unsetopt prompt_cr prompt_sp; PS1=; autoload -U compinit; compinit -D -u; source $script; source $script; print READ''Y"
read_until() {
  local out= more; local -i tries
  for ((tries = 0; tries < 200; tries++)); do
    while zpty -r -t z more; do out+=$more; done
    [[ $out == *$1* ]] && break
    sleep 0.05
  done
  REPLY=$out
}
read_until READY
for typed expected in "$@"; do
  zpty -w -n z "$typed"$'\\t'
  last=
  for ((tries = 0; tries < 200; tries++)); do
    while zpty -r -t z more; do last+=$more; done
    plain="\${last//$'\\e'\\[[0-9;]#[a-zA-Z]/}"
    [[ $plain == *$expected* ]] && break
    sleep 0.05
  done
  print -r -- "$plain"
  zpty -w -n z $'\\C-u'
done
zpty -d z
`;

/** What `rec-push complete` answers for the words after `rec-push`, without the texts about them. */
async function offers(words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runMain(["complete", "--", ...words]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0]!]));
}

describe("rec-push complete", () => {
  it.each<[readonly string[], readonly string[]]>([
    [
      ["a.csv", "--auth", "b"],
      ["both", "bearer"],
    ],
    [["a.csv", "--auth=b"], []],
    [["a.csv", "--map", "x"], []],
    [["a.csv", "b"], []],
  ])("answers %j with %j", async (words, expected) => {
    expect(await offers(words)).toEqual(expected);
  });

  it("is asked by a script for each of four shells, and others are named a mistake", async () => {
    const { stdout } = await runMain(["completion", "powershell"]);
    expect(stdout).toContain("Register-ArgumentCompleter -Native -CommandName rec-push");
    expect(stdout.match(/'/g)!.length % 2).toBe(0);
    const { code, stderr } = await runMain(["completion", "tcsh"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish, powershell")]);
  });
});
