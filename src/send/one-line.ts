import { showText } from "../model/visible-text.ts";

const MAX_LENGTH = 300;

/** A text from the service as one line of at most 300 characters, with control and invisible characters escaped. */
export function toOneLine(text: string): string {
  return showText(text.slice(0, MAX_LENGTH * 2).trim(), MAX_LENGTH);
}
