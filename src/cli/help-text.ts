/** The other commands, below push's options. */
export const HELP_COMMANDS = `
Commands:
  push <files...>     the command when none is named
  check <files...>    read the files and say what a push would send
  resume [run]        go on with an open run, settle what is in doubt
  runs                list the runs, and what is left to do
  init <file>         write rec-push.config.json from a file, everything pinned
  sandbox             serve the record service's interface on this machine
  (rec-push COMMAND --help shows a command's own options)`;

/** Examples and exit codes, at the end of the help. */
export const HELP_AFTER = `
Examples:
  $ rec-push orders.csv --table commandes --sandbox
  $ REC_PUSH_TOKEN=... rec-push orders.csv --table commandes --url https://records.example

Exit codes:
  0  every row accepted, or nothing to do      5  credentials refused
  1  a fault of rec-push or this machine       6  the service refuses the request itself
  2  wrong usage; nothing sent                 7  the service could not be reached or kept failing
  3  invalid input; nothing sent               8  records are in doubt
  4  some rows were rejected or refused        9  not started: another run is on this table
                                               129, 130, 143  interrupted by a signal
`;
