/** Years of two digits: 70 to 99 are 1970 to 1999, 00 to 69 are 2000 to 2069 (the pivot of POSIX strptime is 69). */
export function fullYear(twoDigits: number): number {
  return twoDigits >= 70 ? 1900 + twoDigits : 2000 + twoDigits;
}
