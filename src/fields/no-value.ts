import { quoteWord } from "../model/shell-word.ts";
import type { Unreadable } from "./value.ts";

// Words that databases, programs and people write for "no value", without accents; in the languages of the dates.
const WORDS: ReadonlySet<string> = new Set([
  ..."null nil none nan nat na n/a n.a. undefined \\n empty blank unknown missing tbd tba".split(" "),
  ..."neant aucun aucune vide vides inconnu manquant n.d. n/d n.c. n/c s.o. s/o".split(" "),
  ..."leer keine k.a. unbekannt ninguno ninguna vacio desconocido nessuno nessuna vuoto sconosciuto".split(
    " ",
  ),
  ..."geen leeg nenhum nenhuma vazio".split(" "),
  "non renseigne",
  "non defini",
  "non disponible",
  "non communique",
  "a completer",
  "a definir",
  "a renseigner",
  "sans objet",
  "keine angabe",
  "en blanco",
  "not available",
  "not applicable",
  // In brackets: what JavaScript writes for an object.
  "object object",
]);

const LONGEST = 20;
/** What people put where a value is to come. */
const PLACEHOLDER = /^x{3,}$/;
const BRACKETED = /^(?:\((.+)\)|<(.+)>|\[(.+)\])$/;

/**
 * True for words that mean no value: `NULL`, `\N`, `<NA>`, `NaT`, `(vide)`, `néant`, `XXX`; and for text with neither letter
 * nor digit, such as `-` and `?`, unless it begins with `#`.
 */
export function isNoValue(text: string): boolean {
  if (/\d/.test(text)) return false;
  if (!/[\p{L}\p{N}]/u.test(text)) return text !== "" && !text.startsWith("#");
  if (text.length > LONGEST) return false;
  const inside = BRACKETED.exec(text);
  const word = inside === null ? text : (inside[1] ?? inside[2] ?? inside[3])!;
  const plain = word.trim().toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  // `N.A` is `n.a.`.
  return WORDS.has(plain) || WORDS.has(`${plain}.`) || PLACEHOLDER.test(plain);
}

/** The word in the form that list options want: commas inside it are escaped, and a shell reads it as one word. */
export function quoteListed(text: string): string {
  return quoteWord(text.replaceAll(",", String.raw`\,`));
}

/** A cell that cannot be read, with the option that settles it if it is a word for "no value". */
export function refuseText(text: string, reason: string): Unreadable {
  return isNoValue(text) ? { reason, hint: `--null ${quoteListed(text)}` } : { reason };
}

/** The hint for a cell with which programs write "no value", but which is a value elsewhere. */
export function noValueHint(text: string): string {
  const everywhere = `--null ${quoteListed(text)}, if it means no value in every column`;
  return `${everywhere}; else "null" of this field in the config`;
}

/** A cell that is neither text nor a number. Odoo and PHP write false for no value. */
export function refuseOther(cell: unknown, kind: string): Unreadable {
  const reason = `${String(cell)} is not ${kind}`;
  return cell === false ? { reason, hint: noValueHint("false") } : { reason };
}
