const FRENCH = [
  "Export des commandes",
  "# made by hand",
  "Ref;Numéro;Date;Montant;Etat;Note;Vide",
  "A1;551 035;05/07/2016;1 437,50;open;x;",
  "A2;551036;13/07/2016;NULL;closed;y;",
  "A2;551037;14/07/2016;12,00;;é;-",
  "A3;551038;15/07/2016;3,00;open;;",
  "A4;x;15/07/2016;3,00;open;;",
  "Fin;;;;;;",
].join("\r\n");

const READING = words(
  `--format csv --encoding windows-1252 --delimiter ; --quote " --escape " --skip-lines 1 --header-line 3`,
  "--comment # --skip-footer 1 --max-row-bytes 64KiB",
);

const VALUES = words(
  "--map Ref=cle --map Numéro=num_commande --map Date=date_billed --map Montant=actual_billable_amount",
  "--map Etat=state --map Note=note --drop Vide --type actual_billable_amount=amount:2 --date-format DD/MM/YYYY",
  "--decimal , --null NULL,- --set source=erp --default state=new --required num_commande",
  "--pattern num_commande=55[0-9]+ --one-of state=open,closed,new --empty send --only updates --on-repeat last",
  "--on-invalid skip --max-invalid 50%",
);

const SENDING = words(
  "--auth bearer --db-version v7 --db-version-in query:v --body data --allow-http --batch-bytes 64KiB",
  "--compress gzip --max-concurrency 4 --rate 100 --timeout 30s --retries 1 --max-wait 1m --max-failed 3",
  "--atomic-batches --safe-status 503,504",
);

function words(...lines) {
  return lines.flatMap((line) => line.split(" "));
}

const ORDERS = "cle;num_commande;date_billed\nA1;1;05/07/2016\nA2;2;13/07/2016\nA3;3;14/07/2016\n";

const NUMBERS = Array.from({ length: 12 }, (_, at) => `A${at},${at},2024-01-${at + 10},x\n`).join("");
const WORDS_BELOW_NUMBERS = `cle,rang,le,libelle\n${NUMBERS}code,ref,jour,texte\nB1,7,2024-02-01,y\n`;

const CREATES = "num_commande;date_billed\n1;05/07/2016\n2;13/07/2016\n3;14/07/2016\n";

/** The runs of each kept set: commands with one batch per record, the first of which is accepted. */
export const RUNS = [
  {
    name: "many-options",
    input: { name: "orders.csv", text: FRENCH, encoding: "latin1" },
    argv: ["--table", "commandes", ...READING, ...VALUES, ...SENDING],
    // Invalid rows that were left out make it 4.
    code: 4,
  },
  {
    name: "json",
    input: {
      name: "orders.json",
      text: '{"page":1,"orders":[{"cle":"A1","at":"2016-07-04T22:00:00Z","n":{}},{"cle":"A2","at":"2016-07-05T21:00:00Z","n":{}},{"cle":"A3","at":"2016-07-06T10:00:00Z","n":[]}],"more":[]}\n',
    },
    argv: [
      "--table",
      "commandes",
      "--json-path",
      "orders",
      "--keep",
      "cle,at",
      "--type",
      "at=date",
      "--time-zone",
      "Europe/Paris",
    ],
  },
  {
    name: "no-survey",
    input: { name: "orders.csv", text: ORDERS },
    argv: ["--table", "commandes", "--no-survey", "--date-format", "DD/MM/YYYY", "--delimiter", ";"],
  },
  {
    name: "no-header-from-stdin",
    input: { name: "orders.csv", text: "A1;1\n;2\n;3\n" },
    isPiped: true,
    argv: [
      "--table",
      "commandes",
      "--no-header",
      "--map",
      "1=cle",
      "--map",
      "2=num_commande",
      "--run-key",
      "2026-11",
      "--keep-footer",
    ],
  },
  {
    name: "headers-and-query",
    input: { name: "orders.csv", text: ORDERS },
    argv: ["--table", "commandes", "-H", "X-Key: one", "--query", "tenant=7"],
    again: ["-H", "X-Key: one", "--query", "tenant=7"],
  },
  {
    name: "config",
    input: {
      name: "orders.csv",
      text: "Ref;no;date_billed;state\nA1;1;05/07/2016;\nA2;2;06/07/2016;open\nA3;3;07/07/2016;\n",
    },
    config: JSON.stringify({
      profiles: {
        here: { url: "BASE_URL", tokenEnv: "OWN_TOKEN", auth: "access_token", headers: { "X-Own": "1" } },
      },
      tables: {
        commandes: {
          delimiter: ";",
          map: { Ref: "cle", no: "num_commande" },
          fields: {
            date_billed: { type: "date:DD/MM/YYYY" },
            state: { default: "new", oneOf: ["new", "open"] },
          },
          set: { source: "erp" },
        },
      },
    }),
    argv: ["--table", "commandes", "--config", "own.json", "--profile", "here"],
    again: ["-H", "X-Own: 1"],
    env: { OWN_TOKEN: "sandbox", REC_PUSH_TOKEN: "", REC_PUSH_URL: "" },
  },
  {
    name: "one-table",
    input: { name: "orders.csv", text: WORDS_BELOW_NUMBERS },
    argv: ["--table", "commandes", "--one-table"],
    // That build did not keep --one-table, so only the same command continues the run.
    onlyPushed: true,
  },
  {
    name: "creates-in-doubt",
    input: { name: "orders.csv", text: CREATES },
    argv: ["--table", "commandes", "--max-failed", "1", "--retries", "0"],
    faults: ["status=500,skip=1,times=1"],
    begun: 8,
    again: ["--in-doubt", "resend"],
  },
  {
    name: "finished",
    input: { name: "orders.csv", text: CREATES },
    argv: ["--table", "commandes"],
    faults: [],
    begun: 0,
    onlyPushed: true,
  },
];
