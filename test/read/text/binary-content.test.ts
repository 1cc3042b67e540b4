import { describe, expect, it } from "vitest";
import { refuseBinaryContent } from "../../../src/read/content/content-reader.ts";

const name = "Marie Dupont";
/** As Excel writes it: the user's name in one byte a letter, then in two, both padded with blanks. */
const LOCK = Buffer.alloc(165, " \0");
LOCK.fill(" ", 0, 55);
LOCK.write(`${String.fromCharCode(name.length)}${name}`, 0, "latin1");
LOCK.write(`${String.fromCharCode(name.length)}\0${name.split("").join("\0")}`, 55, "latin1");

describe("refuseBinaryContent", () => {
  it.each<[string, Buffer, string]>([
    ["exports/~$orders.xlsx", LOCK, "beside a document that is open"],
    ["C:\\exports\\~$orders.xlsx", LOCK, "beside a document that is open"],
    ["orders.lnk", Buffer.from("4c0000000114020000000000c000000000000046", "hex"), "a shortcut of Windows"],
    ["orders.url", Buffer.from("[InternetShortcut]\r\nURL=https://x.test/\r\n"), "a shortcut to a web page"],
    ["orders.pdf", Buffer.from("%PDF-1.7\n"), "a PDF document"],
  ])("says what %s is", (file, head, what) => {
    expect(() => refuseBinaryContent(head, file)).toThrow(
      expect.objectContaining({ code: "not-a-table", message: expect.stringContaining(what) as string }),
    );
  });

  it.each<[string, Buffer]>([
    ["~$orders.csv", Buffer.from("cle;num_commande\n".padEnd(200, "A1;1\n"))],
    ["~orders.csv", Buffer.from("cle;num_commande\nA1;1\n")],
    ["orders.csv", LOCK],
  ])("judges %s by its content only", (file, head) => {
    expect(() => refuseBinaryContent(head, file)).not.toThrow();
  });
});
