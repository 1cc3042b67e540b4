import { type Completed, type CompletedCommand, type CompletedOption, flagsWithValue } from "./words.ts";

/** The script for zsh: as a file _rec-push in the fpath, or sourced after compinit. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name);
  const first = commands.map(({ name, about }) => quote(`${name}:${about}`)).join("\n    ");
  return `#compdef rec-push
# zsh completion for rec-push; in .zshrc, after compinit: source <(rec-push completion zsh)
_rec_push_tables() {
  local -a names
  names=(\${(f)"$(command rec-push completion tables 2>/dev/null)"})
  compadd -a names
}

_rec_push_profiles() {
  local -a names
  names=(\${(f)"$(command rec-push completion profiles 2>/dev/null)"})
  compadd -a names
}

_rec_push_first() {
  local -a commands
  commands=(
    ${first}
  )
  _describe -t commands command commands
  _files
}

_rec_push() {
  local cmd= word
  local -i at
  for ((at = 2; at < CURRENT; at++)); do
    word=$words[at]
    case $word in
      (${names.join("|")}) cmd=$word; break ;;
      (${flagsWithValue(commands).join("|")}) ((at++)) ;;
      (-*) ;;
      (*) cmd=push; break ;;
    esac
  done
  case $cmd in
${commands.map((command) => caseOf(command)).join("\n")}
    (*) _arguments -S : ${specsOf(commands[0]!)} \\
      '*:file:_rec_push_first' ;;
  esac
}

if [[ $funcstack[1] == _rec_push ]]; then
  _rec_push "$@"
elif (( $+functions[compdef] )); then
  compdef _rec_push rec-push
fi
`;
}

function caseOf(command: CompletedCommand): string {
  const options = specsOf(command);
  const words =
    command.words.kind === "nothing" ? "" : ` \\\n      ${quote(`*:word:${actionOf(command.words)}`)}`;
  return `    (${command.name}) _arguments -S : ${options}${words} ;;`;
}

function specsOf({ options }: CompletedCommand): string {
  return options
    .flatMap(specs)
    .map((spec) => `\\\n      ${quote(spec)}`)
    .join(" ");
}

/** `--table[about]:name:action`, for each flag of an option. */
function specs({ flags, about, isRepeated, argument }: CompletedOption): readonly string[] {
  const others = isRepeated ? "*" : flags.length > 1 ? `(${flags.join(" ")})` : "";
  const text = about.replaceAll(/[[\]:\\]/g, (sign) => `\\${sign}`);
  const action = argument.kind === "nothing" ? "" : `:value:${actionOf(argument)}`;
  return flags.map((flag) => {
    // A long option takes its value after a space or after `=`.
    const name = argument.kind !== "nothing" && flag.startsWith("--") ? `${flag}=` : flag;
    return `${others}${name}[${text}]${action}`;
  });
}

function actionOf(completed: Completed): string {
  switch (completed.kind) {
    case "file":
      return "_files";
    case "directory":
      return "_files -/";
    case "tables":
      return "_rec_push_tables";
    case "profiles":
      return "_rec_push_profiles";
    case "values":
      return `(${completed.values.join(" ")})`;
    case "nothing":
    case "text":
      return " ";
  }
}

/** A shell word in which nothing is expanded. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
