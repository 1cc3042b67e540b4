/** The form of the events: fields may be added to it, and nothing is ever changed or taken away. */
const SCHEMA = 1;

/** One event as a line of NDJSON, with the time it was told. */
export function formatEvent(event: string, fields: object, now: Date): string {
  return `${JSON.stringify({ event, schema: SCHEMA, time: now.toISOString(), ...fields })}\n`;
}
