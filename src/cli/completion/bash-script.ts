import { argumentsOfFlags, type Completed, type CompletedCommand, flagsWithValue } from "./words.ts";

/**
 * The script for bash 3.2 and later. Files are left to readline, which can quote them; what was typed is only compared,
 * never expanded.
 */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name);
  return `# bash completion for rec-push; put into a profile: source <(rec-push completion bash)
_rec_push_words() {
  local typed="$1" word
  shift
  for word in "$@"; do
    if [[ "$word" == "$typed"* ]]; then COMPREPLY+=("$word"); fi
  done
}

_rec_push_nothing() {
  compopt +o default +o bashdefault 2>/dev/null
}

_rec_push() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" word cmd= i file
  COMPREPLY=()
  if [[ "$cur" == "=" ]]; then cur=; elif [[ "$prev" == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      ${names.join("|")}) cmd="$word"; break ;;
      ${flagsWithValue(commands).join("|")})
        ((i++))
        if [[ "\${COMP_WORDS[i]}" == "=" ]]; then ((i++)); fi ;;
      -*) ;;
      *) cmd=push; break ;;
    esac
  done
  case "$prev" in
${[...groupFlags(commands)].map(([action, flags]) => `    ${flags.join("|")}) ${action}; return ;;`).join("\n")}
  esac
  if [[ "$cur" == -* ]]; then
    case "\${cmd:-push}" in
${commands.map(({ name, options }) => `      ${name}) _rec_push_words "$cur" ${options.flatMap(({ flags }) => flags).join(" ")} ;;`).join("\n")}
    esac
    return
  fi
  if [[ -z "$cmd" ]]; then
    _rec_push_words "$cur" ${names.join(" ")}
    if ((\${#COMPREPLY[@]} > 0)); then
      compopt -o filenames 2>/dev/null
      while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$cur")
    fi
    return
  fi
  case "$cmd" in
${commands.flatMap(({ name, words }) => (words.kind === "file" ? [] : [`    ${name}) ${actionOf(words)} ;;`])).join("\n")}
  esac
}
complete -o bashdefault -o default -F _rec_push rec-push
`;
}

/** Groups the flags by what completes them, so that each action is written only once. */
function groupFlags(commands: readonly CompletedCommand[]): ReadonlyMap<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [flag, argument] of argumentsOfFlags(commands)) {
    const action = actionOf(argument);
    groups.set(action, [...(groups.get(action) ?? []), flag]);
  }
  return groups;
}

function actionOf(completed: Completed): string {
  switch (completed.kind) {
    case "file":
    case "directory":
      return ":";
    case "tables":
    case "profiles":
      return `_rec_push_words "$cur" $(command rec-push completion ${completed.kind} 2>/dev/null)\n      _rec_push_nothing`;
    case "values":
      return `_rec_push_words "$cur" ${completed.values.join(" ")}; _rec_push_nothing`;
    case "nothing":
    case "text":
      return "_rec_push_nothing";
  }
}
