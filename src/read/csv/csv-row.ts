import type { Row } from "../../model/row.ts";
import type { CsvCells } from "./csv-cells.ts";

/** A row of a CSV, whose cells only become text when they are asked for. */
export class CsvRow implements Row {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly spans: CsvCells;
  readonly firstCell: number;
  /** Number of cells. */
  readonly width: number;

  constructor(line: number, start: number, end: number, spans: CsvCells, firstCell: number, width: number) {
    this.line = line;
    this.start = start;
    this.end = end;
    this.spans = spans;
    this.firstCell = firstCell;
    this.width = width;
  }

  /** Made whenever they are asked for: kept, those of a sample would take ten times its size. */
  get cells(): string[] {
    const { spans, firstCell, width } = this;
    const cells: string[] = [];
    for (let cell = firstCell; cell < firstCell + width; cell++) cells.push(spans.text(cell));
    return cells;
  }

  /** One of them; empty behind the last one. */
  cell(at: number): string {
    return at < this.width ? this.spans.text(this.firstCell + at) : "";
  }

  /** The cells as they are written, including quotes. */
  get sources(): string[] {
    return Array.from({ length: this.width }, (_, at) => this.spans.source(this.firstCell + at));
  }

  /** Number of cells that hold more than spaces. */
  get filled(): number {
    const { spans, firstCell, width } = this;
    let filled = 0;
    for (let cell = firstCell; cell < firstCell + width; cell++) {
      const start = spans.starts[cell]!;
      if (start >= spans.ends[cell]!) continue;
      const first = spans.bytes[start]!;
      if ((first > 0x20 && first < 0x80) || spans.text(cell).trim() !== "") filled++;
    }
    return filled;
  }
}
