import { faultGrammarText } from "./fault-rules.ts";

/** The text of `rec-push sandbox --help` beside its options: the interface, the sandbox's decisions where the specification is silent, and the grammar of faults. */
export const sandboxHelp = `What it answers:
  POST   /api/items/TABLE/       records: [{...}] or {"data":[{...}]}, gzip allowed; any base path before /api
  POST   /api/oauth2/access_token/   with --oauth: a token of 60 s for client_id and client_secret
  POST   /api/oauth2/items/TABLE/    the same as /api/items/TABLE/, with such a token
  GET    /api/items/TABLE/       all fiches of a table, in order of creation
  GET    /api/item/TABLE/CLE/    one fiche
  GET    /                       a page for people
  GET    /sandbox/requests       counts per status, records applied, the last requests
  GET    /sandbox/faults         the faults in force
  POST   /sandbox/faults         replaces them: ["status=503,times=2", "latency=200"]
  DELETE /sandbox/faults         ends them
POST and DELETE need the token, as the header access_token, as Authorization: Bearer, or both.
GET needs none on this machine; opened to others, the sandbox asks for it (in a browser: as the password).

Where the specification is silent:
  A record with an unknown cle is created; one without gets a new cle (F000001).
  A record changes only the fields it has. Records are applied in the order of the array.
  Every value must be a string. A batch with a bad record is refused as a whole.
  Any table name makes a table, unless the tables are named at the start.

Faults: words joined by commas, for example --fault status=503,times=2. The first rule that strikes
decides, waits add up. Write a value with commas in double quotes. Only requests with a valid token count.
${faultGrammarText()}
`;
