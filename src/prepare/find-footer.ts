import { FooterWatch, MOST_FOOTER_ROWS } from "../fields/survey/footer-watch.ts";
import { judgeFooter } from "../fields/survey/judge-footer.ts";
import type { RowChunk } from "../model/row.ts";
import type { Footer } from "./chunk-builder.ts";

/** Gives the last chunks together with the rows in them that look like totals; holds back as many as may hold such rows. */
export async function* findFooter(
  chunks: AsyncIterable<RowChunk>,
  headers: readonly string[],
): AsyncGenerator<{ readonly chunk: RowChunk; readonly footer?: Footer }> {
  const watch = new FooterWatch();
  let held: RowChunk[] = [];
  for await (const chunk of chunks) {
    watch.add(chunk.rows, chunk.unreadable.at(-1)?.line);
    held.push(chunk);
    if (chunk.rows.length < MOST_FOOTER_ROWS) continue;
    for (const above of held.slice(0, -1)) yield { chunk: above };
    held = [chunk];
  }
  const footer = judgeFooter(watch, headers);
  for (const chunk of held) yield { chunk, footer };
}
