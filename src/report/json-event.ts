import { escapeHidden } from "../model/visible-text.ts";

/** The form of the events: fields may be added to it, and nothing is ever changed or taken away. */
const SCHEMA = 1;

/** One event as a line of NDJSON, with the time it was told; nothing in it can command a terminal that shows it. */
export function formatEvent(event: string, fields: object, now: Date): string {
  return `${escapeHidden(JSON.stringify({ event, schema: SCHEMA, time: now.toISOString(), ...fields }))}\n`;
}
