const MAX_EXPONENT = 400;

/**
 * Writes a JSON number (RFC 8259 section 6) without exponent, digit for digit: `5.51035e5` is `551035`, `1.50e1` is
 * `15.0`. Returns `undefined` if the exponent is beyond 400 either way, or if the text is not a JSON number.
 */
export function expandJsonNumber(source: string): string | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponentText] = match;
  if (exponentText === undefined) return source;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > MAX_EXPONENT) return undefined;
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const left = point <= 0 ? "0" : digits.slice(0, point).padEnd(point, "0");
  const right = point <= 0 ? "0".repeat(-point) + digits : digits.slice(point);
  return `${sign}${left.replace(/^0+(?=\d)/, "")}${right === "" ? "" : `.${right}`}`;
}
