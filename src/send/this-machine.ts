/**
 * True for 127.0.0.0/8, ::1 and localhost, as written by URL (which normalises numbers), with or without brackets.
 */
export function isThisMachine(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname === "[::1]" ||
    hostname === "::1" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}
