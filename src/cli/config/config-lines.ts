import { joinPath } from "./check-shape.ts";

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The lines of the members and items of a config, by their paths as mistakes name them. The text is valid JSON. */
export function configLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  /** Objects and lists that are open, each with its path; a list with the place of its next item. */
  const open: { readonly path: string; item: number | undefined }[] = [];
  let name: string | undefined;
  let path = "";
  let line = 1;
  let from = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    line += text.slice(from, index).split("\n").length - 1;
    from = index;
    const holder = open.at(-1);
    if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      path = joinPath(holder?.path ?? "", JSON.parse(name ?? '""') as string);
      lines.set(path, line);
    } else if (token !== ",") {
      name = token;
      if (holder?.item !== undefined) {
        path = `${holder.path}[${holder.item++}]`;
        lines.set(path, line);
      }
      if (token === "{" || token === "[") open.push({ path, item: token === "[" ? 0 : undefined });
    }
  }
  return lines;
}
