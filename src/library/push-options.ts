// Written from the table of options by test/library/options.test.ts (npx vitest run test/library/options.test.ts --update).

/** The options of a push. Where a comment shows `name=value` or `Name: value`, the option is an object with that member. */
export interface PushOptions {
  /** the table to push to (`--table`) */
  readonly table?: string | undefined;
  /** base URL of the service (or REC_PUSH_URL) (`--url`) */
  readonly url?: string | undefined;
  /** file that holds the access token (or REC_PUSH_TOKEN, REC_PUSH_TOKEN_FILE) (`--token-file`) */
  readonly tokenFile?: string | undefined;
  /** command that prints the access token, run without a shell (or REC_PUSH_TOKEN_COMMAND) (`--token-command`) */
  readonly tokenCommand?: string | undefined;
  /** client id for --auth oauth2 (or REC_PUSH_CLIENT_ID) (`--client-id`) */
  readonly clientId?: string | undefined;
  /** file that holds the client secret (or REC_PUSH_CLIENT_SECRET, REC_PUSH_CLIENT_SECRET_FILE) (`--client-secret-file`) */
  readonly clientSecretFile?: string | undefined;
  /** command that prints the client secret (or REC_PUSH_CLIENT_SECRET_COMMAND) (`--client-secret-command`) */
  readonly clientSecretCommand?: string | undefined;
  /** where --auth oauth2 gets its tokens, below --url (default: /api/oauth2/access_token/) (`--oauth-token-path`) */
  readonly oauthTokenPath?: string | undefined;
  /** how the token is sent (default: both); oauth2 fetches it with client id and secret (`--auth`) */
  readonly auth?: "both" | "access_token" | "bearer" | "oauth2" | undefined;
  /** database version the service asks for (`--db-version`) */
  readonly dbVersion?: string | undefined;
  /** header:NAME, query:NAME or body:NAME (default: header:database_version) (`--db-version-in`) */
  readonly dbVersionIn?: string | undefined;
  /** a bare array of records (the default) or {"data": [...]} (`--body`) */
  readonly body?: "array" | "data" | undefined;
  /** an HTTP header to add, "Name: value"; @FILE: those in a file (or REC_PUSH_HEADERS_FILE), one per line (`--http-header`) */
  readonly httpHeader?: Readonly<Record<string, string>> | undefined;
  /** a query parameter to add (`--query`) */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** allow plain http to another machine: the token travels unencrypted (`--allow-http`) */
  readonly allowHttp?: boolean | undefined;
  /** HTTP proxy to go through, or none (default: HTTPS_PROXY, HTTP_PROXY, NO_PROXY) (`--proxy`) */
  readonly proxy?: string | undefined;
  /** PEM file of the authorities to trust in place of the usual ones (`--ca`) */
  readonly ca?: string | undefined;
  /** PEM file of the client certificate, if the service wants one (`--cert`) */
  readonly cert?: string | undefined;
  /** PEM file of its key, if that is not in the same file (`--key`) */
  readonly key?: string | undefined;
  /** push to a service inside this process, and show what it then holds (`--sandbox`) */
  readonly sandbox?: boolean | undefined;
  /** most records per request (default: 500) (`--batch-size`) */
  readonly batchSize?: string | number | undefined;
  /** most bytes per request (default: 1MiB) (`--batch-bytes`) */
  readonly batchBytes?: string | number | undefined;
  /** compress request bodies, for services that accept that (`--compress`) */
  readonly compress?: "gzip" | undefined;
  /** requests in flight; auto, the default: as many as the service can handle, auto:N: N at most (`--concurrency`) */
  readonly concurrency?: string | number | undefined;
  /** most requests per second (`--rate`) */
  readonly rate?: string | number | undefined;
  /** time for one request (default: 60s, 300s for creates) (`--timeout`) */
  readonly timeout?: string | number | undefined;
  /** tries after the first (default: 4) (`--retries`) */
  readonly retries?: string | number | undefined;
  /** how long the service may ask to wait, in total (default: 15m) (`--max-wait`) */
  readonly maxWait?: string | number | undefined;
  /** how long rows wait after an update of their key that was given up and sent again (default: 30s) (`--late`) */
  readonly late?: string | number | undefined;
  /** stop after this many failed batches in a row (default: 5) (`--max-failed`) */
  readonly maxFailed?: string | number | undefined;
  /** the service applies a batch as a whole or not at all (`--atomic-batches`) */
  readonly atomicBatches?: boolean | undefined;
  /** statuses that mean that nothing was applied, such as 503 (`--safe-status`) */
  readonly safeStatus?: string | undefined;
  /** a msg that means success beside "Update Items OK."; {n}: the number of records of the request (`--ok-msg`) */
  readonly okMsg?: readonly string[] | undefined;
  /** creates carry an Idempotency-Key, and are sent again if the answer is lost; for services that honour it (`--idempotency-key`) */
  readonly idempotencyKey?: boolean | undefined;
  /** time for requests in flight after a signal (default: 25s) (`--grace`) */
  readonly grace?: string | number | undefined;
  /** write the rows rejected or refused to this file, to be mended and pushed (default: beside the input) (`--rejects`) */
  readonly rejects?: string | undefined;
  /** write the outcome of every row to this file: CSV, or NDJSON for *.ndjson (`--results`) */
  readonly results?: string | undefined;
  /** where runs are kept (default: $XDG_STATE_HOME/rec-push) (`--state-dir`) */
  readonly stateDir?: string | undefined;
  /** how long to wait for another run on this table (default: not at all) (`--wait-lock`) */
  readonly waitLock?: string | number | undefined;
  /** create all records of the files, even if some were created before (`--again`) */
  readonly again?: boolean | undefined;
  /** tells pushes of equal content apart, such as the month (`--run-key`) */
  readonly runKey?: string | undefined;
  /** send old values anyway: those of an open run or of mended rejects although a later run sent some of their keys, or those in a file of superseded rows (`--stale-ok`) */
  readonly staleOk?: boolean | undefined;
  /** each file of this table holds the earlier rows again (full), or new rows only (delta) (`--exports`) */
  readonly exports?: "full" | "delta" | undefined;
  /** fields that together identify records without key; record: all fields (`--identify-by`) */
  readonly identifyBy?: readonly string[] | undefined;
  /** push a shard of the plan in this directory (`--plan`) */
  readonly plan?: string | undefined;
  /** which shard: 3/64, or auto: the one that Slurm, Kubernetes, GitLab or CircleCI says (`--shard`) */
  readonly shard?: string | undefined;
  /** a file that is unlike all before it: off does not check, note reports it (the default), stop sends nothing, accept says that such files are usual from now on (`--drift`) */
  readonly drift?: "off" | "note" | "stop" | "accept" | undefined;
  /** send nothing unless each file has this many records: 1200, or 1000..20000 (`--expect-rows`) */
  readonly expectRows?: string | number | undefined;
  /** send nothing unless the amounts of this field have this sum in each file: paid_amount=12345.67 (`--expect-sum`) */
  readonly expectSum?: Readonly<Record<string, string>> | undefined;
  /** a config (or REC_PUSH_CONFIG); it takes precedence over rec-push.config.json, here or in a parent directory, and your own (`--config`) */
  readonly config?: string | undefined;
  /** the service to push to, from --config or your own config (`--profile`) */
  readonly profile?: string | undefined;
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
  /** append everything to this file, with the time of each line; NDJSON with --json (`--log-file`) */
  readonly logFile?: string | undefined;
  /** a report of the run: one page to read (.html), or data (.json) (`--report`) */
  readonly report?: string | undefined;
}
