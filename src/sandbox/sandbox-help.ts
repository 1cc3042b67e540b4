import { faultGrammarText } from "./faults.ts";

/** The text of `rec-push sandbox --help` beside its options: the interface, the sandbox's decisions where the specification is silent, and the grammar of faults. */
export const sandboxHelp = `What it answers:
  POST   /api/items/TABLE/       records: [{...}] or {"data":[{...}]}, gzip allowed; any base path before /api
  POST   /api/oauth2/access_token/   with --oauth: a token of 60 s for client_id and client_secret
  POST   /api/oauth2/items/TABLE/    the same as /api/items/TABLE/, with such a token
  GET    /api/items/TABLE/       all records of a table, in order of creation
  GET    /                       a page for people
POST needs the token, as the header access_token, as Authorization: Bearer, or both. GET needs none.

Where the specification is silent:
  A record with an unknown cle is created; one without gets a new cle (F000001).
  A record changes only the fields it has. Records are applied in the order of the array.
  Every value must be a string. A batch with a bad record is refused as a whole.
  Any table name makes a table.

Faults: words joined by commas, for example --fault status=503,times=2. The first rule that strikes
decides, waits add up. Write a value with commas in double quotes. Only requests with a valid token count.
${faultGrammarText()}
`;
