// Written from the table of options by test/library/options.test.ts (npx vitest run test/library/options.test.ts --update).

/** The options of a check. Where a comment shows `name=value` or `Name: value`, the option is an object with that member. */
export interface CheckOptions {
  /** the table the rows are meant for (`--table`) */
  readonly table?: string | undefined;
  /** read a file of superseded rows (`--stale-ok`) */
  readonly staleOk?: boolean | undefined;
  /** stop unless each file has this many records: 1200, or 1000..20000 (`--expect-rows`) */
  readonly expectRows?: string | number | undefined;
  /** stop unless the amounts of this field have this sum in each file: paid_amount=12345.67 (`--expect-sum`) */
  readonly expectSum?: Readonly<Record<string, string>> | undefined;
  /** a config (or REC_PUSH_CONFIG); it takes precedence over rec-push.config.json, here or in a parent directory, and your own (`--config`) */
  readonly config?: string | undefined;
  /** csv, json, ndjson or xlsx (default: detected from the content) (`--format`) */
  readonly format?: string | undefined;
  /** sheet of a workbook (default: the first that holds a table) (`--sheet`) */
  readonly sheet?: string | undefined;
  /** member that holds the records, or the one record: data, result.items (`--json-path`) */
  readonly jsonPath?: string | undefined;
  /** take the members of objects inside a JSON record too: customer.email goes to customer_email (`--flatten`) */
  readonly flatten?: boolean | undefined;
  /** utf-8, windows-1252, cp850 ...; with ! after it even if the content disproves it (default: detected from the content) (`--encoding`) */
  readonly encoding?: string | undefined;
  /** what separates cells: ',' ';' '|' tab (default: detected from the content) (`--delimiter`) */
  readonly delimiter?: string | undefined;
  /** what quotes cells: '"' or "'" or none (`--quote`) */
  readonly quote?: string | undefined;
  /** what escapes a quote inside quotes: the quote itself or '\' (`--escape`) */
  readonly escape?: string | undefined;
  /** line of the header (`--header-line`) */
  readonly headerLine?: string | number | undefined;
  /** false: the file has no header; columns are named by position: --map 3=field (`--no-header`) */
  readonly header?: boolean | undefined;
  /** lines to leave out at the top (`--skip-lines`) */
  readonly skipLines?: string | number | undefined;
  /** rows to leave out at the end (`--skip-footer`) */
  readonly skipFooter?: string | number | undefined;
  /** the file is complete, although its last cell looks cut (`--whole`) */
  readonly whole?: boolean | undefined;
  /** rows that look like totals: skip leaves them out, keep takes them as rows (default: they are invalid) (`--totals`) */
  readonly totals?: "skip" | "keep" | undefined;
  /** rows that lack most of what the others hold: skip leaves them out, keep takes them as rows (default: they are invalid) (`--sparse`) */
  readonly sparse?: "skip" | "keep" | undefined;
  /** a line of words only is a row like the others, not the header of a second table (`--one-table`) */
  readonly oneTable?: boolean | undefined;
  /** leave out lines that begin with this (`--comment`) */
  readonly comment?: string | undefined;
  /** longest row (default: 1MiB) (`--max-row-bytes`) */
  readonly maxRowBytes?: string | number | undefined;
  /** longest standard input or pipe, which is copied before it is read (default: 64GiB) (`--max-input-bytes`) */
  readonly maxInputBytes?: string | number | undefined;
  /** send a column, by header or position, as this field (`--map`) */
  readonly map?: Readonly<Record<string, string>> | undefined;
  /** leave these columns out (`--drop`) */
  readonly drop?: readonly string[] | undefined;
  /** send only these columns (`--keep`) */
  readonly keep?: readonly string[] | undefined;
  /** columns that are not declared: send them under their names, or leave them out (else they stop the run) (`--other-columns`) */
  readonly otherColumns?: "send" | "drop" | undefined;
  /** text, digits, amount, amount:2, amount:, date, date:DD/MM/YYYY ... (`--type`) */
  readonly type?: Readonly<Record<string, string>> | undefined;
  /** send this value with every record (`--set`) */
  readonly set?: Readonly<Record<string, string>> | undefined;
  /** cells that mean "no value": NULL,- (`--null`) */
  readonly null?: readonly string[] | undefined;
  /** words that are keys although they do not look like keys: NA,- (`--key-literal`) */
  readonly keyLiteral?: readonly string[] | undefined;
  /** send this where the cell is empty (`--default`) */
  readonly default?: Readonly<Record<string, string>> | undefined;
  /** rows without a value in these fields are invalid (`--required`) */
  readonly required?: readonly string[] | undefined;
  /** values that do not match are invalid (`--pattern`) */
  readonly pattern?: Readonly<Record<string, string>> | undefined;
  /** other values are invalid: state=open,closed (`--one-of`) */
  readonly oneOf?: Readonly<Record<string, readonly string[]>> | undefined;
  /** DD/MM/YYYY, MM/DD/YYYY, YYYY-MM-DD, YY-MM-DD, DDMMYYYY, excel, epoch, epoch-ms (`--date-format`) */
  readonly dateFormat?: string | undefined;
  /** decimal mark of amounts (`--decimal`) */
  readonly decimal?: "," | "." | undefined;
  /** first of the hundred years that two digits mean: 45 is 1945 to 2044 (`--pivot-year`) */
  readonly pivotYear?: string | number | undefined;
  /** zone whose day counts for date-times with a zone: Europe/Paris (`--time-zone`) */
  readonly timeZone?: string | undefined;
  /** leave empty cells out (the default), or send them as "" (`--empty`) */
  readonly empty?: "omit" | "send" | undefined;
  /** treat rows of the other kind as invalid (`--only`) */
  readonly only?: "updates" | "creates" | undefined;
  /** rows with the same key: send all in order (the default), only the last, or stop (`--on-repeat`) */
  readonly onRepeat?: "all" | "last" | "stop" | undefined;
  /** infer nothing: stop if an option is missing that says how the file is read (`--pinned`) */
  readonly pinned?: boolean | undefined;
  /** invalid rows stop the run before anything is sent (the default), or are left out (`--on-invalid`) */
  readonly onInvalid?: "stop" | "skip" | undefined;
  /** with --on-invalid skip: stop, and send nothing, if more rows than this are invalid: 20, or 1% (`--max-invalid`) */
  readonly maxInvalid?: string | number | undefined;
  /** write the records as NDJSON to this file; - is standard output (`--records`) */
  readonly records?: string | undefined;
  /** append everything to this file, with the time of each line; NDJSON with --json (`--log-file`) */
  readonly logFile?: string | undefined;
  /** a report of the run: one page to read (.html), or data (.json) (`--report`) */
  readonly report?: string | undefined;
}
