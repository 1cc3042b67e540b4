/** Row counts, extraction dates and ends of files, in the words of the programs that write them. */
const REMARKS = [
  /^\(?\d[\d .,]* (?:rows?|records?|lines?|lignes?|enregistrements?|resultats?|zeilen|datensatze|filas|registros|registos|righe|regels|linhas)\b.*$/u,
  /^(?:nombre|nb|number|count|anzahl|numero|aantal)\b.*\d\)?$/u,
  /^(?:extraction|extrait|export|exporte|exported|edite|edition|edited|imprime|printed|genere|generated|erstellt|stand|gedruckt|creado|generado|creato|estratto|stampato|impreso|impresso|gegenereerd|afgedrukt|gerado|date|fichier|file|source|quelle)\b.*\d.*$/u,
  /^(?:fin|end|ende|fine|einde|fim|eof)\b.*$/u,
];

/** Page numbers and places to sign: where other rows fill one cell too, they may be names. */
const PAGE_REMARKS = [
  /^[- ]*(?:page|pagina|seite)[ :.]*\d+(?: ?(?:\/|sur|of|de|von|di|van) ?\d+)?[- ]*$/u,
  /^(?:signatures?|unterschrift|handtekening|assinatura)(?:[ :.]*| (?:et|und|and|e|en|du|de|des|of) .*)$/u,
  /^(?:fait a\b.*\d.*|bon pour accord\b.*)$/u,
];

/** The character that ends a file under DOS. */
const END_OF_FILE = "\u001a";

/** True if a text that is alone in its row says something about the file. */
export function isRemark(text: string): boolean {
  const plain = simplify(text);
  return plain === END_OF_FILE || REMARKS.some((remark) => remark.test(plain));
}

/** True for the number of a page, or a place to sign. */
export function isPageRemark(text: string): boolean {
  const plain = simplify(text);
  return PAGE_REMARKS.some((remark) => remark.test(plain));
}

function simplify(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
