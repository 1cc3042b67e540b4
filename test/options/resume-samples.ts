import type { OptionName } from "../../src/options/table.ts";
import { fixture } from "../support/fixture.ts";
import { textRow, workbookOf } from "../support/workbook.ts";

/** A command whose result shows an option, and the same command with another value. */
export interface Sample {
  readonly content: string | Buffer;
  readonly argv: readonly string[];
  /** For options that decide what the records are: the command that makes other records. */
  readonly other?: readonly string[];
  readonly difference?: string | RegExp;
  /** A file that both commands read, if there is no {@link content}. */
  readonly bothRead?: string | Buffer;
  /** Options that `resume` needs again, because their values are secret. */
  readonly again?: readonly string[];
  /** The user's own config, with the place of the token. */
  readonly config?: object;
  /** The section of the table in the config, for keys that are no options; {@link other} is with another one. */
  readonly section?: object;
  readonly otherSection?: object;
}

const ORDERS = "cle,num_commande,note\nA1,1,x\nA2,2,y\nA3,3,\n";
const DATES = "cle,date_billed\nA1,05/07/2016\nA2,06/07/2016\n";
const MOMENTS = "cle,date_billed\nA1,2016-07-04T22:00:00Z\nA2,2016-07-05T10:00:00Z\n";
const AMOUNTS = 'cle,paid_amount\nA1,"1,234"\nA2,"2,345"\n';

const QUOTED = "cle,note\nA1,'x'\nA2,'y'\n";
const TOTALLED = "cle,note,paid_amount\nA1,x,1.00\nA2,y,2.00\n,Total,3.00\n";
const PAID = "cle,paid_amount\nA1,1\n";
const KEYS = "cle,note\nNA,x1\nB,y2\n";
const BIRTHS = "cle,date_birth\nA1,14/03/45\nA2,15/03/45\n";
const SECRET_FILE = { auth: "oauth2", clientId: "importer", clientSecretFile: fixture("tls/client-secret") };

const TWO_SHEETS = workbookOf({
  sheets: ["May", "June"].map((name) => ({
    name,
    rows: textRow(1, ["cle", "note"]) + textRow(2, [name, "x1"]),
  })),
});

const PRINTS_TOKEN = `"${process.execPath}" -p "'sandbox'"`;
const TOKEN_COMMAND = { tokenCommand: PRINTS_TOKEN };
const PRINTS_SECRET = `"${process.execPath}" -p "'sandbox-secret'"`;
const CLIENT = { auth: "oauth2", clientId: "importer", clientSecretCommand: PRINTS_SECRET };
const ofClient = (more: object = {}): readonly Sample[] => [
  { content: ORDERS, argv: ["--profile", "own"], config: { profiles: { own: { ...CLIENT, ...more } } } },
];

const sending = (...argv: readonly string[]): readonly Sample[] => [{ content: ORDERS, argv }];

/** Words of a line without quotes. */
const words = (line: string): readonly string[] => line.split(" ").filter((word) => word !== "");

/** The words of two commands that make other records of a content, and what a resume says of the second one. */
const deciding = (
  content: string,
  line: string,
  other: string,
  difference: string | RegExp,
  more: Partial<Sample> = {},
): readonly Sample[] => [{ content, argv: words(line), other: words(other), difference, ...more }];

/** The same for two values of one option that stand for themselves; `more`: other words of both. */
const switched = (content: string, option: string, then: string, now: string, more = ""): readonly Sample[] =>
  deciding(
    content,
    `${more} ${option} ${then}`,
    `${more} ${option} ${now}`,
    `${option}: ${then} then, ${now} now`,
  );

/** Rules of fields, which only configs have. */
const ofRule = (fields: object, others: object, difference: string): readonly Sample[] => [
  ...deciding(ORDERS, "", "", difference, { section: { fields }, otherSection: { fields: others } }),
];

const NO_HEADER = "--no-header --map 1=cle --map 2=note";

/** For every option that a run keeps, commands that show it. */
export const SAMPLES: Partial<Record<OptionName, readonly Sample[]>> = {
  url: sending(),
  tokenFile: sending(),
  tokenCommand: [
    { content: ORDERS, argv: words("--profile own"), config: { profiles: { own: TOKEN_COMMAND } } },
    { content: ORDERS, argv: ["--token-command", PRINTS_TOKEN], config: {} },
  ],
  clientId: ofClient(),
  clientSecretFile: [
    { content: ORDERS, argv: words("--profile own"), config: { profiles: { own: SECRET_FILE } } },
  ],
  clientSecretCommand: ofClient(),
  oauthTokenPath: ofClient({ oauthTokenPath: "/sub/api/oauth2/access_token/" }),
  ca: sending("--ca", fixture("tls/authority.pem")),
  cert: sending("--cert", fixture("tls/client.pem"), "--key", fixture("tls/client-key.pem")),
  key: sending("--cert", fixture("tls/client.pem"), "--key", fixture("tls/client-key.pem")),
  auth: sending("--auth", "bearer"),
  dbVersion: sending("--db-version", "v7"),
  dbVersionIn: sending("--db-version", "v7", "--db-version-in", "query:database_version"),
  body: sending("--body", "data"),
  httpHeader: [{ content: ORDERS, argv: ["-H", "X-A: 1"], again: ["-H", "X-A: 1"] }],
  query: [{ content: ORDERS, argv: words("--query a=1"), again: words("--query a=1") }],
  allowHttp: sending("--allow-http"),
  batchSize: sending("--batch-size", "2"),
  batchBytes: [{ content: ORDERS, argv: [], section: { batchBytes: "64KiB" } }],
  compress: [{ content: ORDERS, argv: [], section: { compress: "gzip" } }],
  color: [{ content: ORDERS, argv: [], section: { color: "never" } }],
  progress: [{ content: ORDERS, argv: [], section: { progress: false } }],
  concurrency: sending("--concurrency", "1"),
  rate: sending("--rate", "100"),
  timeout: sending("--timeout", "30s"),
  retries: sending("--retries", "1"),
  maxWait: sending("--max-wait", "1m"),
  late: sending("--late", "5s"),
  maxFailed: sending("--max-failed", "2"),
  idempotencyKey: sending("--idempotency-key"),
  atomicBatches: sending("--atomic-batches"),
  okMsg: sending("--ok-msg", "{n} items updated."),
  safeStatus: sending("--safe-status", "503"),
  format: switched('{"data":[{"cle":"A1","note":"x"}]}\n', "--format", "ndjson", "json", "--json-path data"),
  encoding: switched("cle,note\nA1,x\n", "--encoding", "windows-1252", "iso-8859-15"),
  delimiter: deciding(
    "A1;x|y\nA2;z|w\n",
    `${NO_HEADER} --delimiter ;`,
    `${NO_HEADER} --delimiter |`,
    '--delimiter: ";" then, "|" now',
  ),
  quote: deciding(QUOTED, "--quote '", '--quote "', `--quote and escape: ' ' then, " " now`),
  escape: deciding('cle,note\nA1,"x"\n', '--quote "', '--quote "', '--quote and escape: " \\ then, " " now', {
    section: { escape: "backslash" },
    otherSection: { escape: '"' },
  }),
  headerLine: deciding(
    "cle,note\nA1,x\nA2,y\nA3,z\n",
    "--delimiter , --header-line 1",
    "--delimiter , --header-line 2",
    "the first line of the data: 2, header 1 then, 3, header 2 now",
  ),
  header: deciding(
    "cle,note\nA2,y\n",
    `${NO_HEADER} --sparse keep`,
    "--map 1=cle --map 2=note --sparse keep",
    "the first line of the data: 1, header none then",
  ),
  skipLines: deciding(
    "A0,w\nA1,x\nA2,y\n",
    `${NO_HEADER} --skip-lines 1`,
    `${NO_HEADER} --skip-lines 2`,
    "the first line of the data: 2, header none then, 3, header none now",
  ),
  skipFooter: switched(`${ORDERS},,\nof it\n`, "--skip-footer", "2", "1"),
  shortRows: deciding(
    "cle,note,paid_amount\nA1,x,1.00\nA2,y2\n",
    "--short-rows --on-invalid skip",
    "--on-invalid skip",
    "--short-rows: yes then, no now",
  ),
  totals: switched(TOTALLED, "--totals", "skip", "keep=Total"),
  sparse: switched("cle,note,paid_amount\nA1,x,1.00\nA2,y,2.00\n", "--sparse", "skip", "keep"),
  whole: [{ content: "cle,paid_amount\nA1,1250.00\nA2,1437.50\nA3,595.00\nA4,12", argv: words("--whole") }],
  comment: deciding("cle,note\n#A0,w\nA1,x\n", "--comment #", "", "--comment: # then, nothing now"),
  sheet: [{ content: TWO_SHEETS, argv: words("--sheet June") }],
  jsonPath: switched(
    '{"a":[{"cle":"A1","note":"x"}],"b":[{"cle":"B1","note":"x"}]}',
    "--json-path",
    "a",
    "b",
  ),
  maxRowBytes: deciding(ORDERS, "", "", "maxRowBytes: 65536 then, 32768 now", {
    section: { maxRowBytes: "64KiB" },
    otherSection: { maxRowBytes: "32KiB" },
  }),
  map: deciding(ORDERS, "--map note=memo", "--map note=remark", /"note" as memo, text then, .* as remark/),
  drop: deciding(ORDERS, "--drop note", "", 'column 3: nothing then, "note" as note, text now'),
  keep: deciding(ORDERS, "--keep cle,note", "", "column 2: nothing then"),
  otherColumns: switched(ORDERS, "--other-columns", "send", "drop"),
  type: deciding(PAID, "--type paid_amount=amount", "--type paid_amount=text", "paid_amount, amount then"),
  set: deciding(ORDERS, "--set source=a", "--set source=b", 'source="a" then, source="b" now'),
  null: [
    ...deciding(ORDERS, "--null x", "--null y", '--null: "x" then, "y" now'),
    ...deciding(ORDERS, "--null x,y", "--null x,z", '--null: "x", "y" then, "x", "z" now'),
  ],
  keyLiteral: deciding(
    KEYS,
    "--key-literal NA",
    "--key-literal NA,-",
    '--key-literal: "NA" then, "-", "NA" now',
  ),
  default: ofRule({ note: { default: "z" } }, { note: { default: "w" } }, "rules of note: "),
  required: ofRule({ num_commande: { required: true } }, {}, "rules of num_commande: "),
  pattern: ofRule({ note: { pattern: "[a-z]" } }, { note: { pattern: "[a-y]+" } }, "rules of note: "),
  oneOf: ofRule({ note: { oneOf: ["x", "y"] } }, { note: { oneOf: ["x", "y", "z"] } }, "rules of note: "),
  dateFormat: deciding(
    DATES,
    "--date-format DD/MM/YYYY",
    "--date-format MM/DD/YYYY",
    "format of date_billed: DD/MM/YYYY then, MM/DD/YYYY now",
  ),
  decimal: deciding(
    AMOUNTS,
    "--decimal ,",
    "--decimal .",
    "format of paid_amount: decimal comma then, decimal point now",
  ),
  flatten: deciding(
    '[{"cle":"A1","num_commande":"1","a":{"b":"x"}},{"cle":"A2","num_commande":"2","a":{"b":"y"}}]',
    "--flatten",
    "--drop a",
    "--flatten: yes then, no now",
  ),
  pivotYear: deciding(BIRTHS, "--pivot-year 45", "--pivot-year 40", "--pivot-year: 1945 then, 1940 now"),
  timeZone: [
    ...deciding(
      MOMENTS,
      "--time-zone Europe/Paris",
      "--time-zone America/New_York",
      "time zone of date_billed: Europe/Paris then, America/New_York now",
    ),
    ...deciding(
      "cle,date_billed\nA1,1467669600\n",
      "--date-format epoch --time-zone Europe/Paris",
      "--date-format epoch --time-zone UTC",
      "time zone of date_billed: Europe/Paris then, UTC now",
    ),
  ],
  empty: deciding(ORDERS, "--empty send", "", "--empty: send then, omit now"),
  only: deciding(ORDERS, "--only updates", "", "--only: updates then, both kinds now"),
  onRepeat: deciding("cle,note\nA1,x\nA1,y\n", "--on-repeat last", "", "--on-repeat: last then, all now"),
  exports: sending("--exports", "delta"),
  identifyBy: switched(ORDERS, "--identify-by", "num_commande", "note"),
  onInvalid: deciding(
    "cle,num_commande\nA1,1\nA2,x\n",
    "--on-invalid skip",
    "",
    "--on-invalid: skip then, stop now",
    { bothRead: ORDERS },
  ),
};
