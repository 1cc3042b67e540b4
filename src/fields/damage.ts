/**
 * Names the damage if a spreadsheet or a database wrote an error marker instead of a value (`#REF!`, `#N/A`, `#####`,
 * `NaN`). The languages are those of the month names.
 */
export function findDamage(text: string): string | undefined {
  if (text.charCodeAt(0) === 0x23) {
    if (/^##+$/.test(text)) return "a spreadsheet wrote signs because its column was too narrow";
    if (/^#[¡¿]?[\p{L}/0]+[!?]$|^#N\/?[ABDV]$/u.test(text)) return "it is an error of a spreadsheet formula";
  }
  return /^(?:NaN|-?Inf(?:inity)?)$/i.test(text) ? "it is not a number" : undefined;
}

/**
 * True for a number with an exponent, `5.51035E+05`: spreadsheets write long numbers this way and lose the last digits.
 */
export function hasExponent(text: string): boolean {
  return /^[+-]?\d+(?:[.,]\d+)?[eE][+-]?\d+$/.test(text);
}

/**
 * True for a number with an exponent in a cell that may also be a name: `5.5E+05` and `5.5E11`, but not `5E11`, which
 * may be a name and which no program writes for a number.
 */
export function isCutNumber(text: string): boolean {
  const first = text.charCodeAt(0);
  if (!(first >= 0x30 && first <= 0x39) && first !== 0x2b && first !== 0x2d) return false;
  return /^[+-]?\d+(?:[.,]\d+[eE][+-]?|[eE][+-])\d+$/.test(text);
}

export const CUT_NUMBER = "a spreadsheet has cut it to an exponent, its last digits are lost";
