import { markup, type Markup, type Part } from "./markup.ts";

/**
 * A table; column names that begin with `#` mark columns of numbers. On a narrow screen each row is a list, in which every
 * cell has the name of its column, and cells with nothing in them are left out.
 */
export function showTable(names: readonly string[], rows: readonly (readonly Part[])[]): Markup {
  const columns = names.map((name) => ({
    name: name.replace(/^#/, ""),
    kind: name.startsWith("#") ? NUMBER : undefined,
  }));
  const head = columns.map(({ name, kind }) => markup`<th scope="col"${kind}>${name}</th>`);
  const body = rows.map(
    (cells) =>
      markup`<tr>${cells.map((cell, at) => markup`<td data-name="${columns[at]!.name}"${columns[at]!.kind}>${cell}</td>`)}</tr>\n`,
  );
  return markup`<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>\n`;
}

const NUMBER = markup` class="number"`;

/** Text from a file or from the service, isolated from the words of the page and from their direction of writing. */
export function showCell(text: string): Markup {
  return markup`<bdi class="cell">${text}</bdi>`;
}
