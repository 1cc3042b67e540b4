const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** The text of XML with its references resolved and its line ends made line feeds; `fault` is thrown where that is impossible. */
export function resolveText(text: string, fault: (what: string) => Error): string {
  const ended = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  if (!ended.includes("&")) return ended;
  return ended.replaceAll(
    /&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));|&/g,
    (_, hex?: string, decimal?: string, name?: string) => {
      const number = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      if (hex !== undefined || decimal !== undefined) {
        if (!isCharacter(number)) throw fault("a character in it is none");
        return String.fromCodePoint(number);
      }
      const character = NAMED.get(name ?? "");
      if (character === undefined) throw fault("it holds a reference that means nothing");
      return character;
    },
  );
}

/** XML 1.0, production 2. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return code < 0xd800 || (code >= 0xe000 && code < 0xfffe) || (code >= 0x10000 && code <= 0x10ffff);
}
