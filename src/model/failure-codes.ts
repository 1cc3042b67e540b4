/** Names of failures, stable for scripts and tests. The set is closed: a new failure gets its name here. */
export type FailureCode =
  | OptionCode
  | ConfigCode
  | TargetCode
  | InputCode
  | ColumnCode
  | RunCode
  | LedgerCode
  | ServiceCode
  | MachineCode
  | SandboxCode;

/** The ledger of what was created. */
type LedgerCode =
  | "creates-incomparable"
  | "creates-unidentified"
  | "creates-unsettled"
  | "creates-in-doubt"
  | "creates-unsure"
  | "identity-empty"
  | "identity-repeated"
  | "identity-unknown"
  | "ledger-damaged"
  | "missing-identity";

/** Options and the command line. */
type OptionCode =
  | "bad-option-value"
  | "bad-pattern"
  | "endless-pattern"
  | "check-of-type"
  | "constant-key"
  | "contradicting-options"
  | "excess-arguments"
  | "given-twice"
  | "key-type"
  | "limit-without-skip"
  | "log-place"
  | "missing-argument"
  | "missing-table"
  | "missing-client"
  | "missing-token"
  | "missing-url"
  | "option-missing-argument"
  | "rejects-place"
  | "report-place"
  | "results-place"
  | "stdin-twice"
  | "later-rows"
  | "token-in-config"
  | "two-targets"
  | "unknown-command"
  | "unknown-option"
  | "unknown-profile"
  | "unknown-shell"
  | "unknown-time-zone"
  | "unknown-topic"
  | "wrong-usage";

/** The config. */
type ConfigCode =
  | "config-foreign"
  | "config-json"
  | "config-mistake"
  | "config-no-file"
  | "config-not-written"
  | "config-unreadable"
  | "config-writable"
  | "profiles-in-found-config"
  | "rejects-in-found-config"
  | "table-in-config";

/** The target, its token and what goes with every request. */
type TargetCode =
  | "bad-db-version"
  | "bad-certificate-file"
  | "bad-header"
  | "headers-file"
  | "bad-proxy"
  | "bad-query"
  | "bad-table"
  | "bad-token"
  | "bad-token-path"
  | "bad-url"
  | "db-version-place"
  | "missing-db-version"
  | "own-header"
  | "plain-http"
  | "token-characters"
  | "token-command"
  | "token-file"
  | "token-file-writable"
  | "unverified-certificates"
  | "url-credentials"
  | "url-query"
  | "url-too-long";

/** Runs, their journals and the state directory. */
type RunCode =
  | "abandoned-run"
  | "all-rows-invalid"
  | "no-plan"
  | "not-planned"
  | "other-shards"
  | "plan-closed"
  | "plan-damaged"
  | "plan-directory"
  | "shard-lost"
  | "table-held"
  | "doubt-file-changed"
  | "input-changed"
  | "interrupted"
  | "invalid-rows"
  | "journal-damaged"
  | "lock-lost"
  | "missing-headers"
  | "no-doubt-file"
  | "no-run"
  | "not-confirmed"
  | "not-open"
  | "nothing-in-doubt"
  | "nothing-to-send"
  | "open-run"
  | "other-content"
  | "other-doubt"
  | "other-queries"
  | "other-settings"
  | "records-lost"
  | "repeated-key"
  | "run-in-use"
  | "run-lost"
  | "source-changed"
  | "source-gone"
  | "stale-run"
  | "state-directory"
  | "table-in-use"
  | "too-many-invalid"
  | "unexpected-rows"
  | "unexpected-sum"
  | "unlike-before";

/** Answers of the service, or the lack of one. */
type ServiceCode =
  | "all-refused"
  | "bad-certificate"
  | "certificate-refused"
  | "client-refused"
  | "creates-refused"
  | "credentials-refused"
  | "database-version"
  | "keeps-failing"
  | "no-token"
  | "no-token-endpoint"
  | "other-answer"
  | "proxy-credentials"
  | "proxy-refused"
  | "redirected"
  | "request-refused"
  | "token-unreachable"
  | "too-many-failed"
  | "unknown-host"
  | "waited-too-long"
  | "wrong-address";

/** This machine: disk and permissions. */
type MachineCode =
  "cannot-spool" | "cannot-write" | "cannot-write-journal" | "no-spool-directory" | "records-file";

/** The sandbox. */
type SandboxCode = "bad-fault" | "sandbox-listen" | "sandbox-token" | "sandbox-versions";

/** Problems with a file as a whole: whether and how it can be read. */
type InputCode =
  | "contradicting-mark"
  | "control-character"
  | "cut-file"
  | "damaged-gzip"
  | "damaged-workbook"
  | "damaged-zip"
  | "directory"
  | "disproved-encoding"
  | "empty"
  | "encrypted"
  | "json-answer"
  | "json-depth"
  | "json-member-twice"
  | "json-not-records"
  | "json-not-utf-8"
  | "json-path"
  | "data-above-header"
  | "lost-name"
  | "json-places"
  | "json-syntax"
  | "merged-header"
  | "missing-file"
  | "too-long"
  | "mixed-encoding"
  | "no-header"
  | "keys-lost"
  | "own-rows"
  | "no-readable-row"
  | "no-sheet"
  | "several-sheets"
  | "not-a-row"
  | "other-delimiter"
  | "not-a-table"
  | "not-a-workbook"
  | "not-bytes"
  | "not-readable"
  | "nul-byte"
  | "open-encoding"
  | "row-too-long"
  | "full-footer"
  | "second-table"
  | "truncated-gzip"
  | "unclear-delimiter"
  | "undecodable"
  | "open-quote"
  | "utf-16-without-mark"
  | "zip-members"
  | "zip-method";

/** Problems with columns, fields and what their values settle. */
type ColumnCode =
  | "ambiguous"
  | "ambiguous-amount"
  | "ambiguous-column"
  | "ambiguous-date"
  | "constant-has-column"
  | "constant-unreadable"
  | "contradicting-amounts"
  | "contradicting-dates"
  | "inferred"
  | "key-not-kept"
  | "mapped-and-dropped"
  | "mapped-twice"
  | "members-alike"
  | "missing-time-zone"
  | "nameless-column"
  | "lone-group"
  | "near-miss"
  | "nested-members"
  | "no-field"
  | "open-century"
  | "rejected-value"
  | "repeated-field"
  | "repeated-header"
  | "required-field-missing"
  | "too-many-columns"
  | "two-currencies"
  | "undeclared-columns"
  | "undeclared-type"
  | "unknown-column";
