/** The messages that the specification (section 7) gives to failures, and that of later editions for a version. */
const FAILURES: ReadonlySet<string> = new Set([
  "please specify database version",
  "invalid database version",
  "invalid version",
  "invalid api key",
  "something went wrong. please try again later",
]);

/** True for the message of a failure: under status 200, as some gateways answer, it contradicts the status. */
export function saysFailure(msg: string): boolean {
  return FAILURES.has(msg.trim().toLowerCase().replace(/\.$/, ""));
}
