import { showText } from "../model/visible-text.ts";

const MAX_LENGTH = 300;

/** A text of the service on one line, at most 300 characters: control and invisible characters become escapes. */
export function toOneLine(text: string): string {
  return showText(text.slice(0, MAX_LENGTH * 2).trim(), MAX_LENGTH);
}
