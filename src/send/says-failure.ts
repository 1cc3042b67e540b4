/** What a message says that the specification (section 7), or a later edition of it, gives to a failure. */
export type ToldFailure = "database-version" | "credentials" | "trouble";

const FAILURES: ReadonlyMap<string, ToldFailure> = new Map([
  ["please specify database version", "database-version"],
  ["invalid database version", "database-version"],
  ["invalid version", "database-version"],
  ["invalid api key", "credentials"],
  ["something went wrong. please try again later", "trouble"],
]);

/** The failure that a message names: under status 200, as some gateways answer, it contradicts the status. */
export function failureIn(msg: string): ToldFailure | undefined {
  return FAILURES.get(msg.trim().toLowerCase().replace(/\.$/, ""));
}
