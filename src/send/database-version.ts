/**
 * True for the service's answers about the database version: `Please specify database version.`, `Invalid database
 * version.`, and `Invalid version.` of later editions. A message that only mentions a version in passing concerns a
 * record.
 */
export function saysBadDatabaseVersion(text: string): boolean {
  return /\bdatabase[ _-]?version\b/i.test(text) || WHOLE_MESSAGE.test(text);
}

const WHOLE_MESSAGE =
  /^\W*(please specify|missing|invalid|unknown|unsupported|wrong|no)( an?| the| api| db)* version( (given|specified))?\W*$/i;
