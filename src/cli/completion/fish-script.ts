import { type Completed, type CompletedCommand, type CompletedOption, flagsWithValue } from "./words.ts";

/** The script for fish: sourced, or as completions/rec-push.fish. It removes what an earlier version of it defined. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name);
  const lines = commands.flatMap((command) => [
    `complete -c rec-push -n __rec_push_first -a ${command.name} -d ${quote(command.about)}`,
    ...command.options.map((option) => lineOf(command, option)),
    ...wordsLine(command),
  ]);
  return `# fish completion for rec-push; rec-push completion fish > ~/.config/fish/completions/rec-push.fish
function __rec_push_command
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${names.join(" ")}
                echo $word
                return
            case ${flagsWithValue(commands).join(" ")}
                set skip 1
            case '-*'
            case '*'
                echo push
                return
        end
    end
end

function __rec_push_first
    test -z (__rec_push_command)""
end

function __rec_push_is
    set -l command (__rec_push_command)
    test -n "$command"; or set command push
    test "$command" = $argv[1]
end

complete -c rec-push -e
${lines.join("\n")}
`;
}

function lineOf({ name }: CompletedCommand, { flags, about, argument }: CompletedOption): string {
  const spelled = flags.map((flag) =>
    flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  return `complete -c rec-push -n '__rec_push_is ${name}' ${spelled.join(" ")}${argumentOf(argument)} -d ${quote(about)}`;
}

function argumentOf(completed: Completed): string {
  switch (completed.kind) {
    case "nothing":
      return "";
    case "text":
      return " -x";
    case "file":
    case "directory":
      return " -r -F";
    case "tables":
    case "profiles":
      return ` -x -a '(command rec-push completion ${completed.kind} 2>/dev/null)'`;
    case "values":
      return ` -x -a ${quote(completed.values.join(" "))}`;
  }
}

/** Files are completed if nothing else is defined. */
function wordsLine({ name, words }: CompletedCommand): readonly string[] {
  const condition = `complete -c rec-push -n '__rec_push_is ${name}'`;
  if (words.kind === "values") return [`${condition} -f -a ${quote(words.values.join(" "))}`];
  return words.kind === "nothing" ? [`${condition} -f`] : [];
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
