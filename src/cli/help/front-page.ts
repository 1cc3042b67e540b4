import { TOPICS } from "./topics.ts";

/** The first screen: 24 lines of 80 columns, including the prompt below it. */
export function frontPage(version: string): string {
  return `rec-push ${version} loads CSV, JSON and Excel exports into a record service.
Nothing wrong is sent, nothing is lost, nothing is sent twice.

Examples:
  rec-push check orders.csv                          read it, send nothing
  rec-push orders.csv --table commandes --sandbox    push it to a rehearsal
  rec-push orders.csv --table commandes --url URL    push it (REC_PUSH_TOKEN)
Commands:
  push FILES...     send the rows to a table; the command when none is named
  check FILES...    read the files and say what a push would send
  plan FILES...     share a push between machines
  resume [RUN]      continue an open run, settle what is in doubt
  runs [RUN]        list the runs, and what is left to do
  ledger add FILE   its records are already in the service: create none of them
  init FILE         write rec-push.config.json from a file, everything pinned
  sandbox           serve the record service's interface on this machine
  doctor            check whether a push can work here; sends no record
  completion SHELL  complete commands and options in bash, zsh, fish, powershell
More: rec-push help WORD, for a command, an exit code (help 3), or a topic:
${topicLines()}
`;
}

/** The names of all topics, in lines of at most 79 columns. */
function topicLines(): string {
  const lines: string[] = [];
  for (const topic of Object.keys(TOPICS)) {
    const line = `${lines.at(-1) ?? ""} ${topic}`;
    if (lines.length > 0 && line.length < 80) lines[lines.length - 1] = line;
    else lines.push(`  ${topic}`);
  }
  return lines.join("\n");
}
