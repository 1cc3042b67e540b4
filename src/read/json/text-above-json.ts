/** So far down, in lines and bytes, JSON below other text is looked for. */
const LOOKED_AT_LINES = 50;
const LOOKED_AT_BYTES = 8192;
/** A line that opens an array of objects, or an object whose members follow on lines of their own. */
const OPENS = /^(?:\[|\[?\s*\{)$/;
/** The first record of an array, one a line. */
const FIRST_OF_MANY = /^\[\s*\{\s*"(?:[^"\\]|\\.)*"\s*:.*\}\s*,$/;
/** What stands on the line below one that opens. */
const MEMBER_OR_OBJECT = /^(?:"(?:[^"\\]|\\.)*"\s*:|\{)/;
/** An array or object that goes on behind what is looked at. */
const BEGINS = /^\[?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:/;

/** The number of the line where JSON begins below lines of text: the warning of a program, a comment. */
export function findJsonBelowText(sample: Buffer): number | undefined {
  const lines = sample.toString("utf8", 0, LOOKED_AT_BYTES).split(/\r\n|\n|\r/);
  const isCut = sample.length > LOOKED_AT_BYTES;
  const at = lines.findIndex((line, index) => {
    const text = line.trim();
    if (text[0] !== "[" && text[0] !== "{") return false;
    if (isCut && index === lines.length - 1) return BEGINS.test(text);
    if (OPENS.test(text)) return MEMBER_OR_OBJECT.test(lines[index + 1]?.trim() ?? "");
    return FIRST_OF_MANY.test(text) || isJson(text);
  });
  return at < 1 || at >= LOOKED_AT_LINES ? undefined : at + 1;
}

/** True for an object with members, or an array of objects. */
function isJson(text: string): boolean {
  if (!BEGINS.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
