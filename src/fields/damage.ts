/**
 * Names the damage if a spreadsheet or a database wrote a sign of failure instead of a value (`#REF!`, `#N/A`,
 * `#####`, `NaN`). The languages are those of the month names.
 */
export function findDamage(text: string): string | undefined {
  if (text.charCodeAt(0) === 0x23) {
    if (/^##+$/.test(text)) return "a spreadsheet wrote signs because its column was too narrow";
    if (/^#[¡¿]?[\p{L}/0]+[!?]$|^#N\/?[ABDV]$/u.test(text)) return "it is an error of a spreadsheet formula";
  }
  return /^(?:NaN|-?Inf(?:inity)?)$/i.test(text) ? "it is not a number" : undefined;
}

/** True for a number with an exponent, `5.51035E+05`: a spreadsheet writes it so, and its last digits are lost. */
export function hasExponent(text: string): boolean {
  return /^[+-]?\d+(?:[.,]\d+)?[eE][+-]?\d+$/.test(text);
}

/** True for `5.5E+05` and `5.5E11` if the cell may be a name too: `5E11` may be one, no program writes a number so. */
export function isCutNumber(text: string): boolean {
  const first = text.charCodeAt(0);
  if (!(first >= 0x30 && first <= 0x39) && first !== 0x2b && first !== 0x2d) return false;
  return /^[+-]?\d+(?:[.,]\d+[eE][+-]?|[eE][+-])\d+$/.test(text);
}

export const CUT_NUMBER = "a spreadsheet has cut it to an exponent, its last digits are lost";
