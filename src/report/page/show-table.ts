import { markup, type Markup, type Part } from "./markup.ts";

/** A table; names that begin with `#` are of columns with numbers. */
export function showTable(names: readonly string[], rows: readonly (readonly Part[])[]): Markup {
  const isNumber = names.map((name) => name.startsWith("#"));
  const head = names.map((name, at) =>
    isNumber[at]!
      ? markup`<th scope="col" class="number">${name.slice(1)}</th>`
      : markup`<th scope="col">${name}</th>`,
  );
  const body = rows.map(
    (cells) =>
      markup`<tr>${cells.map((cell, at) => (isNumber[at]! ? markup`<td class="number">${cell}</td>` : markup`<td>${cell}</td>`))}</tr>\n`,
  );
  return markup`<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>\n`;
}

/** Text of a file or of the service, set apart from the words of the page and from the direction that it is written in. */
export function showCell(text: string): Markup {
  return markup`<bdi class="cell">${text}</bdi>`;
}
