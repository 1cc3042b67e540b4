/** The locales whose names of months are read. */
export const LOCALES = "fr fr-CA en en-GB de de-AT es es-MX it nl pt pt-PT".split(" ");

/** Every name that the CLDR data of this Node has for the month of a date. */
export function cldrNames(date: Date): string[] {
  const styles: Intl.DateTimeFormatOptions[] = (["long", "short"] as const).flatMap((width) => [
    { month: width },
    { day: "numeric", month: width },
    { weekday: width, year: "numeric", month: width, day: "numeric" },
  ]);
  const names = LOCALES.flatMap((locale) =>
    styles.map((style) => {
      const parts = new Intl.DateTimeFormat(locale, { ...style, timeZone: "UTC" }).formatToParts(date);
      return parts.find(({ type }) => type === "month")?.value ?? "";
    }),
  );
  return [...new Set(names)].filter((name) => !/\d/.test(name));
}
