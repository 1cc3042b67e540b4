/** The first screen: 24 lines of 80 columns, including the prompt below it. */
export function frontPage(version: string): string {
  return `rec-push ${version} loads CSV, JSON and Excel exports into a record service.
Nothing wrong is sent, nothing is lost, nothing is sent twice.
Examples:
  rec-push check orders.csv                          read it, send nothing
  rec-push orders.csv --table commandes --sandbox    push it to a rehearsal
Commands:
  push FILES...     send the rows to a table; the command when none is named
  check FILES...    read the files and say what a push would send
  plan FILES...     share a push between machines
  resume [RUN]      continue an open run, settle what is in doubt
  runs [RUN]        list the runs, and what is left to do
  ledger add FILE   its records are already in the service: create none of them
  init FILE         write rec-push.config.json from a file, everything pinned
  login [PROFILE]   ask for URL and token of a service, try and keep them
  logout PROFILE    remove them
  sandbox           serve the record service's interface on this machine
  doctor            check whether a push can work here; sends no record
  completion SHELL  complete commands and options in bash, zsh, fish, powershell
More: rec-push help WORD, for a command or a topic:
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

/** The topics of `rec-push help`, in the order in which they are listed; `src/help/TOPIC.md` is the text of each. */
export const TOPICS = {
  files: "delimiters, headers, titles, packed files, standard input",
  columns: "which column goes to which field, and its type",
  dates: "which dates are read, and what decides an open one",
  amounts: "which amounts are read, and what decides an open one",
  encodings: "how the encoding is found, and how to name it",
  excel: "workbooks: sheets, cells, faults",
  "json-input": "where the records of a JSON file are, objects inside them",
  "odd-rows": "totals, headings, footers, rows that are cut",
  rejects: "rows that were not accepted, and the files that hold them",
  "in-doubt": "creates whose answer was lost",
  runs: "how a push goes on after a crash, and what is kept",
  duplicates: "files that hold yesterday's rows again",
  options: "the options that people use most",
  config: "rec-push.config.json, profiles, precedence",
  credentials: "token, OAuth, headers, proxies, certificates",
  outcomes: "answers of the service, and the outcomes",
  "exit-codes": "what each exit code means, and what to do",
  automation: "cron, systemd, GitHub Actions, GitLab CI",
  events: "the output of --json, field by field",
  report: "--report, --results, --log-file",
  drift: "a file that is unlike those before it",
  sandbox: "a test service on this machine, with faults on request",
  shards: "one push on many machines",
  library: "push and check from a program",
  "one-file": "rec-push as one executable",
  windows: "paths, names with *, quoting",
  speed: "figures of time and memory",
  troubles: "faults around a push and of the state directory",
} as const;

/** The name of a topic. */
export type Topic = keyof typeof TOPICS;

/** True for the name of a topic. */
export function isTopic(word: string): word is Topic {
  return Object.hasOwn(TOPICS, word);
}
