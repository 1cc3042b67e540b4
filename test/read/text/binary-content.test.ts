import { describe, expect, it } from "vitest";
import { beginReading } from "../../../src/read/content/content-pass.ts";

describe("content that is no text", () => {
  it.each<[string, Buffer, string]>([
    ["a PDF document", Buffer.from("%PDF-1.7\n"), "a PDF document"],
    ["a gzip file in another", Buffer.from("1f8b0800", "hex"), "a gzip file inside another"],
    ["an old workbook, cut off", Buffer.from("d0cf11e0a1b11ae1", "hex"), "an old Excel workbook (.xls)"],
    ["an HTML page", Buffer.from("\ufeff\n<!DOCTYPE html><table>"), "an HTML page"],
    ["XML", Buffer.from('<?xml version="1.0"?><rows/>'), "an XML document"],
    ["a picture", Buffer.from("89504e470d0a1a0a0000000d494844520000000100000001", "hex"), "binary data"],
  ])("is refused by what it is: %s", (_, head, what) => {
    expect(() => beginReading(head, {}, "orders.csv")).toThrow(
      expect.objectContaining({ code: "not-a-table", message: expect.stringContaining(what) as string }),
    );
  });
});
