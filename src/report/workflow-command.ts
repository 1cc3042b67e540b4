/** A line that GitHub shows next to a file, or above a run. */
export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  /** Path relative to the repository. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly text: string;
}

/** A workflow command: `::error file=orders.csv,line=412::...`. No text in it can end it or start another. */
export function formatAnnotation({ level, file, line, text }: Annotation): string {
  const properties = Object.entries({ file, line })
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `${name}=${escapeData(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`,
    );
  const about = properties.length === 0 ? "" : ` ${properties.join(",")}`;
  return `::${level}${about}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
