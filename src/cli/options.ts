import { type Command, Option } from "commander";

/** Adds a value to those given before, for options that may be repeated. */
function collect(value: string, previous: string[] | undefined): string[] {
  const values = previous ?? [];
  values.push(value);
  return values;
}

/** An option that may be repeated; its value is the list of texts. */
function repeated(flags: string, description: string): Option {
  return new Option(flags, description).argParser(collect);
}

/** Where the records go and how they are sent. */
export function addPushOptions(command: Command): void {
  command
    .optionsGroup("Target:")
    .option("-t, --table <name>", "the table to push to")
    .option("-u, --url <url>", "base URL of the service (or REC_PUSH_URL)")
    .option(
      "--token-file <file>",
      "file that holds the access token (or REC_PUSH_TOKEN, REC_PUSH_TOKEN_FILE)",
    )
    .addOption(
      new Option("--auth <how>", "how the token is sent (default: both)").choices([
        "both",
        "access_token",
        "bearer",
      ]),
    )
    .option("--db-version <version>", "database version the service asks for")
    .option(
      "--db-version-in <place>",
      "header:NAME, query:NAME or body:NAME (default: header:database_version)",
    )
    .addOption(
      new Option("--body <shape>", 'a bare array of records (the default) or {"data": [...]}').choices([
        "array",
        "data",
      ]),
    )
    .addOption(repeated("-H, --http-header <header>", 'an HTTP header to add, "Name: value"'))
    .addOption(repeated("--query <name=value>", "a query parameter to add"))
    .option("--allow-http", "allow plain http to another machine: the token travels readable")
    .option("--sandbox", "push to a service inside this process, and show what it then holds")
    .optionsGroup("Sending:")
    .option("--dry-run", "the same as the command check: send nothing")
    .option("--no-survey", "send while reading: formats must be pinned, and an invalid row stops midway");
  addPaceOptions(command);
}

/** How fast and how patiently. */
function addPaceOptions(command: Command): void {
  command
    .option("--batch-size <rows>", "records a request at most (default: 500)")
    .option("--batch-bytes <bytes>", "bytes a request at most (default: 1MiB)")
    .option("--compress <how>", "gzip: pack request bodies, for services that unpack them")
    .option("--concurrency <number>", "requests in flight; auto, the default: as many as the service bears")
    .option("--max-concurrency <number>", "requests in flight at most (default with auto: 16)")
    .option("--rate <number>", "requests a second at most")
    .option("--timeout <time>", "time for one request (default: 60s, 300s for creates)")
    .option("--retries <number>", "tries after the first (default: 4)")
    .option("--max-wait <time>", "longest the service may ask to wait, in all (default: 15m)")
    .option("--max-failed <number>", "stop after this many failed batches in a row (default: 5)")
    .option("--atomic-batches", "the service applies a batch whole or not at all")
    .option("--safe-status <list>", "statuses that mean that nothing was applied, such as 503")
    .option("--retry-creates", "send creates in doubt again, at your own risk: they may be made twice")
    .option("--grace <time>", "time for requests in flight after a signal (default: 25s)")
    .optionsGroup("Rejects and results:")
    .option("--rejects <file>", "write the rows rejected or refused here, to be mended and pushed")
    .option("--results <file>", "write what became of every row here: CSV, or NDJSON for *.ndjson");
}

/** How the runs of earlier commands count. */
export function addRunOptions(command: Command): void {
  addStateOptions(command.optionsGroup("Runs:"))
    .option("--again", "push content that was pushed before, though it creates its records a second time")
    .option("--run-key <text>", "tells pushes of equal content apart, such as the month")
    .option("--resume-first", "finish the open runs on this table before")
    .option("--stale-ok", "go on with an open run although a later one sent some of its keys");
}

/** Where runs are kept and how long to wait for another one. */
function addStateOptions(command: Command): Command {
  return command
    .option("--state-dir <dir>", "where runs are kept (default: $XDG_STATE_HOME/rec-push)")
    .option("--wait-lock <time>", "wait so long for another run on this table (default: not at all)");
}

/** What `resume` takes: all else comes from the run. */
export function addResumeOptions(command: Command): void {
  command.addOption(
    new Option(
      "--in-doubt <what>",
      "the records in doubt: they are in the service, or send them again",
    ).choices(["applied", "resend"]),
  );
  addStateOptions(command)
    .option("--stale-ok", "go on although a later run sent some of its keys")
    .addOption(
      new Option(
        "--on-invalid <how>",
        "after an invalid row has stopped a run without survey: leave such rows out",
      ).choices(["skip"]),
    )
    .option(
      "--token-file <file>",
      "file that holds the access token (or REC_PUSH_TOKEN, REC_PUSH_TOKEN_FILE)",
    )
    .addOption(repeated("-H, --http-header <header>", "an HTTP header that the run was sent with"))
    .addOption(repeated("--query <name=value>", "a query parameter that the run was sent with"));
  addPaceOptions(command.optionsGroup("Sending:"));
}

/** Where the config is; `hasProfiles` for commands that reach a service. */
export function addConfigOptions(command: Command, hasProfiles: boolean): void {
  command
    .optionsGroup("Config:")
    .option(
      "--config <file>",
      "a config (or REC_PUSH_CONFIG); it counts before rec-push.config.json, here or in a parent directory, and your own",
    );
  if (hasProfiles)
    command.option("--profile <name>", "the service to push to, from --config or your own config");
}

/** How the files are read. */
export function addInputOptions(command: Command): void {
  command
    .optionsGroup("Reading:")
    .option("--format <name>", "csv, json or ndjson (default: told by content)")
    .option("--encoding <name>", "utf-8, windows-1252, iso-8859-15, cp850 ... (default: told by content)")
    .option("--delimiter <char>", "what separates cells: ',' ';' '|' tab (default: told by content)")
    .option("--quote <char>", "what quotes cells: '\"' or \"'\" or none")
    .option("--escape <char>", "what escapes a quote inside quotes: the quote itself or '\\'")
    .option("--header-line <n>", "line of the header")
    .option("--no-header", "the file has no header: name columns by position, --map 3=field")
    .option("--skip-lines <n>", "lines to leave out at the top")
    .option("--skip-footer <n>", "rows to leave out at the end")
    .option("--keep-footer", "a last row that looks like a total is a row like the others")
    .option("--one-table", "a line of words only is a row like the others, not the header of a second table")
    .option("--comment <char>", "leave out lines that begin with this")
    .option("--json-path <member>", "member that holds the records, where several could")
    .option("--max-row-bytes <bytes>", "longest row (default: 1MiB)");
}

/** How cells become records. */
export function addRecordOptions(command: Command): void {
  command
    .optionsGroup("Columns and values:")
    .addOption(repeated("--map <column=field>", "send a column, by header or position, as this field"))
    .addOption(repeated("--drop <columns>", "leave these columns out"))
    .addOption(repeated("--keep <columns>", "send only these columns"))
    .addOption(
      repeated("--type <field=type>", "text, digits, amount, amount:2, amount:, date, date:DD/MM/YYYY ..."),
    )
    .addOption(repeated("--set <field=value>", "send this value with every record"))
    .addOption(repeated("--null <values>", "cells that mean nothing: NULL,-"))
    .addOption(repeated("--default <field=value>", "send this where the cell is empty"))
    .addOption(repeated("--required <fields>", "rows without a value in these fields are invalid"))
    .addOption(repeated("--pattern <field=regex>", "values that do not match are invalid"))
    .addOption(repeated("--one-of <field=values>", "other values are invalid: state=open,closed"))
    .option("--date-format <format>", "DD/MM/YYYY, MM/DD/YYYY, YYYY-MM-DD, YY-MM-DD, excel, epoch, epoch-ms")
    .addOption(new Option("--decimal <mark>", "decimal mark of amounts").choices([",", "."]))
    .option("--time-zone <name>", "zone whose day counts for date-times with a zone: Europe/Paris")
    .addOption(
      new Option("--empty <how>", 'leave empty cells out (the default), or send them as ""').choices([
        "omit",
        "send",
      ]),
    )
    .addOption(
      new Option("--only <kind>", "take rows of the other kind for invalid").choices(["updates", "creates"]),
    )
    .addOption(
      new Option(
        "--on-repeat <how>",
        "rows with one key: send all in order (the default), only the last, or stop",
      ).choices(["all", "last", "stop"]),
    )
    .option("--pinned", "infer nothing: stop where an option should say how the file is read")
    .addOption(
      new Option(
        "--on-invalid <how>",
        "invalid rows stop the run before anything is sent (the default), or are left out",
      ).choices(["stop", "skip"]),
    )
    .option("--max-invalid <rows>", "with --on-invalid skip: send nothing above so many, 20 or 1%");
}

/** What is told. */
export function addOutputOptions(command: Command): void {
  command
    .optionsGroup("Output:")
    .option("--json", "one JSON object an event on standard output")
    .option("-q, --quiet", "nothing on success, for cron")
    .option("-v, --verbose", "every column, every wait")
    .option("--no-progress", "no progress line")
    .addHelpOption(new Option("-h, --help", "show this help").helpGroup("Output:"));
}
