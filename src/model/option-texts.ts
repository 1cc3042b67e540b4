/** An option as it was written: a text, the texts of one that may be repeated, or a flag. */
export type OptionText = string | readonly string[] | boolean;

/** Options as they were written, by name: in this form they are merged, and kept in journals. */
export type OptionTexts = Readonly<Record<string, OptionText | undefined>>;

/** The texts of an option that may be repeated. */
export function textsOf(options: OptionTexts, name: string): readonly string[] {
  const value = options[name];
  if (typeof value === "string") return [value];
  return typeof value === "object" ? value : [];
}
