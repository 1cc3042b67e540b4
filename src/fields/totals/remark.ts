const ROWS =
  "(?:rows?|records?|lines?|lignes?|enregistrements?|resultats?|zeilen|datensatze|filas|registros|registos|righe|regels|linhas)";
const COUNT = "(?:nombre|nb|number|count|anzahl|numero|aantal)";
const MADE =
  "(?:extraction|extrait|export|exporte|exported|edite|edition|edited|imprime|printed|genere|generated|erstellt|stand|gedruckt|creado|generado|creato|estratto|stampato|impreso|impresso|gegenereerd|afgedrukt|gerado|date|fichier|file|source|quelle)";
const DATE = String.raw`(?:\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}|\b(?:le|du|au|on|am|at|vom|il|el|em|op|del) .*\d)`;
const END = "(?:fin|end|ende|fine|einde|fim|eof)";
const FILE =
  "(?:fichier|document|etat|edition|releve|extraction|export|file|reports?|list|data|datei|berichts?|fichero|archivo|informe|listado|stampa|elenco|documento|bestand|rapport|lijst|liste|ficheiro|relatorio|lista)";

/** Row counts, dates of extraction and ends of files, in the words of the programs that write them. */
const REMARKS = [
  String.raw`\(?\d[\d .,]* ${ROWS}\b.*`,
  String.raw`${COUNT}\b.*(?:[:=]|\b${ROWS}\b).*\d\)?`,
  String.raw`${MADE}\b.*${DATE}.*`,
  String.raw`${MADE} (?:par|by|von|durch|por|da|door|mit|with|avec)\b.*`,
  String.raw`${END} (?:.* |d.|l.)?${FILE}`,
  "eof",
].map(whole);

/** Also the number of a page and a place to sign: where other rows fill one cell too, they may be names. */
const LIKELY_REMARKS = [
  String.raw`${COUNT}\b.*\d\)?`,
  String.raw`${MADE}\b.*\d.*`,
  String.raw`${END}\b.*`,
  String.raw`[- ]*(?:page|pagina|seite|pag|blz)[ :.]*\d+(?: ?(?:\/|sur|of|de|von|di|van) ?\d+)?[- ]*`,
  "(?:signatures?|unterschrift|handtekening|assinatura)(?:[ :.]*| (?:et|und|and|e|en|du|de|des|of) .*)",
  "firma[ :.]*",
  String.raw`fait a\b.*\d.*`,
  String.raw`bon pour accord\b.*`,
].map(whole);

/** The character that ends a file under DOS. */
const END_OF_FILE = "\u001a";

/** True if a text that is alone in its row says something about the file. */
export function isRemark(text: string): boolean {
  const plain = simplify(text);
  return plain === END_OF_FILE || REMARKS.some((remark) => remark.test(plain));
}

/** True for a text that may also be a name, where rows with a single cell are usual. */
export function isLikelyRemark(text: string): boolean {
  const plain = simplify(text);
  return LIKELY_REMARKS.some((remark) => remark.test(plain));
}

function simplify(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, "u");
}
