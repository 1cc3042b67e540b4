import type { CommandName } from "../options/declaration.ts";

const TOKEN =
  "a token must not be on the command line, where others can read it: set REC_PUSH_TOKEN, or name a file that holds it with --token-file";
const DELIMITER = "the delimiter is detected; --delimiter semicolon names it";
const ENCODING = "the encoding is detected; --encoding windows-1252 names it";
const SKIP =
  "the header is detected, and titles above it are left out; --header-line N names its line, --skip-lines N leaves lines out above it, --no-header says that there is none";
const URL = "the service's base URL is --url, or REC_PUSH_URL";
const DRY = "rec-push check FILE reads everything and sends nothing";
const BASIC =
  "the service takes a token, not a name and a password: set REC_PUSH_TOKEN, or --token-file; the password of a proxy is in HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT";
const SOCKS = "rec-push speaks to HTTP proxies only: --proxy http://HOST:PORT, or HTTPS_PROXY";
const KEY =
  "a key is read without a passphrase, which nobody can type at night: openssl pkey -in FILE -out key.pem unlocks it, --key names it";
const OUTPUT =
  "--results FILE says what became of every row, --report run.html shows the whole run on a page, --log-file FILE keeps what is shown";
const PARALLEL =
  "--concurrency N is the number of requests in flight; by default it is adapted to the service";

/** Options by the names that other tools give them, and the advice to print. */
const OPTIONS: Readonly<Record<string, string>> = {
  "--token": TOKEN,
  "--access-token": TOKEN,
  "--api-key": TOKEN,
  "--apikey": TOKEN,
  "--password": TOKEN,
  "--user": BASIC,
  "--username": BASIC,
  "--basic": BASIC,
  "--proxy-user": BASIC,
  "--socks5": SOCKS,
  "--socks": SOCKS,
  "--passphrase": KEY,
  "--pass": KEY,
  "--scope": "tokens are asked for without a scope: the service gives the client what it may do",
  "--proxy-url": "--proxy http://HOST:PORT names the proxy; without it HTTPS_PROXY and NO_PROXY do",
  "--output": OUTPUT,
  "--out": OUTPUT,
  "-o": OUTPUT,
  "--log": "--log-file FILE appends all that is shown, with the time of each line",
  "--logfile": "--log-file FILE appends all that is shown, with the time of each line",
  "--bearer": TOKEN,
  "--separator": DELIMITER,
  "--sep": DELIMITER,
  "--field-separator": DELIMITER,
  "--fields-terminated-by": DELIMITER,
  "--charset": ENCODING,
  "--codepage": ENCODING,
  "--code-page": ENCODING,
  "--skip-header": SKIP,
  "--has-header": SKIP,
  "--header": SKIP,
  "--headerline": SKIP,
  "--host": URL,
  "--endpoint": URL,
  "--base-url": URL,
  "--server": URL,
  "--dry-run": DRY,
  "--dryrun": DRY,
  "--simulate": DRY,
  "--threads": PARALLEL,
  "--parallel": PARALLEL,
  "--jobs": PARALLEL,
  "--workers": PARALLEL,
  "--cacert": "--ca FILE names the file of the authorities to trust",
  "--insecure": "certificates are always checked; --ca FILE trusts an authority of your own",
  "-k": "certificates are always checked; --ca FILE trusts an authority of your own",
  "--client-secret":
    "a client secret must not be on the command line, where others can read it: set REC_PUSH_CLIENT_SECRET, or name a file that holds it with --client-secret-file",
  "--batch": "--batch-size N is the number of records in a request, --batch-bytes their size",
  "--chunk-size": "--batch-size N is the number of records in a request, --batch-bytes their size",
  "--yes": "nothing is asked: an open question stops the run and names the option that settles it",
  "--no-color": "--color never; NO_COLOR=1 does the same for every tool",
  "--silent": "--quiet says nothing on success",
  "--date": "--date-format DD/MM/YYYY, or --type field=date:DD/MM/YYYY for one column",
  "--columns": "--keep a,b sends only these columns, --map 'Header=field' sends one as a field",
};

const FORCE =
  "each guard has an answer of its own, which the error names: --on-invalid skip sends the valid rows, --again creates records again, --stale-ok, --allow-http";

/** The advice for an option of another tool that rec-push does not have; `undefined` if no known tool has it. */
export function foreignOption(flag: string, command: CommandName): string | undefined {
  const name = flag.toLowerCase();
  if (name === "--force" && command !== "init") return FORCE;
  return OPTIONS[name];
}
