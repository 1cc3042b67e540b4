/** Longer cells with escapes need a closer look. */
const LONGEST = 4096;

/** Room for the text of one cell with escapes, for whoever looks at it next. */
export const UNESCAPED = Buffer.alloc(LONGEST);
