import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { CommandName } from "../../options/declaration.ts";
import { flagsOf, TABLE, useIn } from "../../options/table.ts";
import { TOPICS } from "../help.ts";
import { COMMAND_WORDS, type CommandLine, firstWord, isCommand, VALUE_FLAGS } from "../command-line.ts";
import type { Io } from "../run-settings.ts";

/** What a shell may put in place of a word, with a text about it. */
type Candidate = readonly [word: string, about: string];

const SHELLS = ["bash", "zsh", "fish", "powershell"];

/**
 * `rec-push complete -- WORDS` prints what the last of the words may become, one a line: the word, a tab, a text about it.
 * Where a file or a free text belongs, it prints nothing. The scripts of `rec-push completion` call it at each tab.
 */
export function runComplete(words: readonly string[], io: Io): number {
  const [typed = "", ...before] = words.toReversed();
  const found = candidatesFor(before.reverse(), typed.trim());
  io.stdout.write(found.map(([word, about]) => `${word}\t${about}\n`).join(""));
  return EXIT.ok;
}

function candidatesFor(before: readonly string[], typed: string): readonly Candidate[] {
  const command = commandOf(before);
  const flag = before.at(-1) ?? "";
  if (VALUE_FLAGS.has(flag)) return startingWith(valuesOf(flag), typed);
  if (typed.startsWith("-")) return startingWith(optionsOf(command ?? "push"), typed);
  return startingWith(wordsOf(command), typed);
}

/** The first word that is neither an option nor its value; a file stands for `push`. */
function commandOf(before: readonly string[]): CommandName | "help" | undefined {
  const [, first] = firstWord(before);
  if (first === undefined) return undefined;
  return first === "help" || isCommand(first) ? first : "push";
}

function optionsOf(command: CommandName | "help"): readonly Candidate[] {
  const help: Candidate = ["--help", "show this help"];
  if (command === "help") return [help];
  const options = TABLE.flatMap((entry) => {
    const use = useIn(command, entry.declaration);
    return use === undefined ? [] : flagsOf(entry).map((flag): Candidate => [flag, use]);
  });
  return [...options, help];
}

function valuesOf(flag: string): readonly Candidate[] {
  const { form } = TABLE.find((candidate) => flagsOf(candidate).includes(flag))!.declaration;
  return plain(form.kind === "text" ? (form.values ?? []) : []);
}

function wordsOf(command: CommandName | "help" | undefined): readonly Candidate[] {
  const commands = COMMAND_WORDS.map(([name, about]): Candidate => [name, about]);
  if (command === undefined) return [...commands, ["help", "show the options of a command, or a topic"]];
  if (command === "help") return [...commands, ...plain(TOPICS.filter((topic) => !isCommand(topic)))];
  if (command === "completion") return plain(SHELLS);
  if (command === "runs") return plain(["abandon", "forget", "prune", "repair"]);
  return [];
}

function plain(words: readonly string[]): readonly Candidate[] {
  return words.map((word) => [word, ""]);
}

function startingWith(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  return candidates.filter(([word]) => word.startsWith(typed));
}

/** `rec-push completion SHELL`: the few lines that have a shell ask `rec-push complete`. */
export function runCompletion({ files: [shell = ""] }: CommandLine, io: Io): number {
  const stub = STUBS[shell];
  if (stub === undefined) {
    throw new RecPushError("wrong-usage", `there is no completion for the shell ${shell}`, {
      hint: `there is one for ${SHELLS.join(", ")}`,
    });
  }
  io.stdout.write(stub);
  return EXIT.ok;
}

/** Each shows files where `complete` answers nothing. What was typed is passed on as it is, and never expanded. */
const STUBS: Readonly<Record<string, string>> = {
  bash: `# bash completion for rec-push; put into a profile: source <(rec-push completion bash)
_rec_push() {
  local word about
  COMPREPLY=()
  while IFS=$'\\t' read -r word about; do COMPREPLY+=("$word"); done \\
    < <(command rec-push complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _rec_push rec-push
`,
  zsh: `#compdef rec-push
# zsh completion for rec-push; in .zshrc, after compinit: source <(rec-push completion zsh)
_rec_push() {
  local -a found
  found=("\${(@f)$(command rec-push complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)\${(@)found:#}//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  if (( $#found )); then _describe rec-push found; else _files; fi
}
if [[ $funcstack[1] == _rec_push ]]; then _rec_push "$@"; elif (( $+functions[compdef] )); then compdef _rec_push rec-push; fi
`,
  fish: `# fish completion for rec-push; rec-push completion fish > ~/.config/fish/completions/rec-push.fish
complete -c rec-push -e
complete -c rec-push -a '(command rec-push complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
  powershell: `# PowerShell completion for rec-push; in $PROFILE: rec-push completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName rec-push -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
  if ($wordToComplete -eq '') { $words += ' ' }
  rec-push complete -- @words 2>$null | ForEach-Object {
    $word, $about = $_ -split "\`t"
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $(if ($about) { $about } else { $word }))
  }
}
`,
};
