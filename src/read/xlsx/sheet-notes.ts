import type { Notice } from "../../model/reading.ts";
import { showCount } from "../../model/quantities.ts";
import type { NumberRemark } from "./sheet-number.ts";

interface Found {
  count: number;
  readonly row: number;
  readonly text: string;
}

/** What is remarkable about a sheet, for people; nothing of it stops a push. */
export class SheetNotes {
  readonly #numbers = new Map<NumberRemark, Found>();
  #hiddenRows = 0;
  #firstHidden = 0;
  #hiddenColumns = 0;

  addHiddenRow(row: number): void {
    if (this.#hiddenRows++ === 0) this.#firstHidden = row;
  }

  addHiddenColumns(count: number): void {
    this.#hiddenColumns += count;
  }

  addNumber(remark: Exclude<NumberRemark, undefined>, row: number, text: string): void {
    const found = this.#numbers.get(remark);
    if (found === undefined) this.#numbers.set(remark, { count: 1, row, text });
    else found.count++;
  }

  get notices(): readonly Notice[] {
    const notices: Notice[] = [];
    if (this.#hiddenRows > 0) {
      const [are, they] = this.#hiddenRows === 1 ? ["is", "it is"] : ["are", "they are"];
      notices.push({
        line: this.#firstHidden,
        text: `${showCount(this.#hiddenRows, "row")} of the sheet ${are} hidden, the first is row ${this.#firstHidden}: ${they} read like the others`,
      });
    }
    if (this.#hiddenColumns > 0) {
      notices.push({
        text: `${showCount(this.#hiddenColumns, "column")} of the sheet hidden: read like the others`,
      });
    }
    const computed = this.#numbers.get("computed");
    if (computed !== undefined) {
      notices.push({
        line: computed.row,
        text: `${showCount(computed.count, "number")} with more digits than a spreadsheet shows, such as ${computed.text} in row ${computed.row}: taken as stored; ROUND() in the sheet makes them what it shows`,
      });
    }
    const long = this.#numbers.get("long");
    if (long !== undefined) {
      notices.push({
        line: long.row,
        text: `${showCount(long.count, "whole number")} of more than 15 digits, such as ${long.text} in row ${long.row}: Excel keeps 15 digits, so check that it did not cut them`,
      });
    }
    return notices;
  }
}
