import { markup, type Markup, type Part } from "./markup.ts";

/** A table; column names that begin with `#` mark columns of numbers. */
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

/** Text from a file or from the service, isolated from the words of the page and from their direction of writing. */
export function showCell(text: string): Markup {
  return markup`<bdi class="cell">${text}</bdi>`;
}
