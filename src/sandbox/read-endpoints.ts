import type { SandboxContext } from "./context.ts";
import { answerJson, answerMsg, type Reply } from "./reply.ts";
import type { TableView } from "./store.ts";

const pieceLength = 65_536;

/** `GET /api/items/{table}/`: all fiches as a JSON array in order of creation, written in pieces. */
export function getItems(context: SandboxContext, name: string): Reply {
  const table = context.store.table(name);
  if (table === undefined) return answerMsg(404, `There is no table ${JSON.stringify(name)}.`);
  return { kind: "stream", contentType: "application/json", pieces: piecesOf(table) };
}

/** `GET /api/item/{table}/{cle}/`: one fiche. */
export function getItem(context: SandboxContext, name: string, cle: string): Reply {
  const table = context.store.table(name);
  if (table === undefined) return answerMsg(404, `There is no table ${JSON.stringify(name)}.`);
  const fiche = table.records.get(cle);
  if (fiche !== undefined) return answerJson(200, fiche);
  return answerMsg(404, `There is no fiche ${JSON.stringify(cle)} in the table ${JSON.stringify(name)}.`);
}

/** `GET /sandbox/requests`: counts for scripts, and the last requests. */
export function getRequests(context: SandboxContext): Reply {
  return answerJson(200, { ...context.log.counts(), last: context.log.last() });
}

function* piecesOf(table: TableView): Generator<string> {
  // The map is live: fiches created while this is sent are left to the next reader.
  let left = table.records.size;
  let piece = "[";
  for (const fiche of table.records.values()) {
    if (left === 0) break;
    piece += JSON.stringify(fiche);
    left -= 1;
    if (left > 0) piece += ",\n";
    if (piece.length >= pieceLength) {
      yield piece;
      piece = "";
    }
  }
  yield `${piece}]\n`;
}
