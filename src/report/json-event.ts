import { escapeHidden } from "../model/refer-to-sheets.ts";

/** The version of the events' form: fields may be added, but nothing is ever changed or removed. */
const SCHEMA = 1;

/**
 * One event as a line of NDJSON, with the time at which it was reported; nothing in it can control a terminal that
 * shows it.
 */
export function formatEvent(event: string, fields: object, now: Date): string {
  return `${escapeHidden(JSON.stringify({ event, schema: SCHEMA, time: now.toISOString(), ...fields }))}\n`;
}
