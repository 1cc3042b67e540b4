import { parted } from "../../support/parted.ts";

/** Words of one language, as its programs and people write them. */
export interface Language {
  readonly name: string;
  /** Code pages that contain all of its letters. */
  readonly codePages: readonly string[];
  readonly clients: readonly string[];
  readonly cities: readonly string[];
  readonly notes: readonly string[];
  /** Headers of columns that nobody declares: client, city, note, quantity, due date, tax. */
  readonly headers: readonly string[];
  /** Titles of exports. */
  readonly titles: readonly string[];
  /** Labels that have a date or a word beside them. */
  readonly labels: readonly string[];
  /** Phrases that label sums. */
  readonly totals: readonly string[];
  /** Words before the name of a group. */
  readonly subtotals: readonly string[];
  /** Phrases that label an amount that is no sum. */
  readonly balances: readonly string[];
  /** Lines below a table; `#` is the number of rows. */
  readonly remarks: readonly string[];
}

const WESTERN = ["windows-1252", "iso-8859-15", "cp850", "cp437", "macroman"];

/** The languages that tables are drawn in; Polish and Russian for their code pages. */
export const LANGUAGES: readonly Language[] = [
  {
    name: "fr",
    codePages: WESTERN,
    clients: parted`Société Générale|Dupont & Fils|Le Gall, Yann|Hôtel de la Gare|Crêperie Ménez|Pharmacie Lefèvre|Électricité Rémy|Boulangerie Noël|Garage Müller|Total SA|Somme Matériaux|Report Éditions`,
    cities: parted`Paris|Saint-Étienne|Nîmes|Besançon|Orléans|Angoulême|L'Haÿ-les-Roses|Lyon`,
    notes: parted`livré|à rappeler|payé en espèces|réglé|commande annulée|colis abîmé|déjà facturé|voir avec le gérant|RAS|À NOUVEAU LIVRÉ`,
    headers: parted`Client|Ville|Remarque|Quantité|Échéance|TVA`,
    titles: parted`Export des commandes|Liste des factures de l'année|Société Dupont, 12 rue de la Paix, Paris|Commandes clients|Éditions comptables : journal des ventes`,
    labels: parted`Édité le|Période|Imprimé par|Page|Service|Utilisateur`,
    totals: parted`Total|TOTAL|Total :|Total général|Total HT|Total TTC|Montant total|Totaux|Somme|Total juillet 2016|Total de la page|Cumul|Total (EUR)|Total facturé`,
    subtotals: parted`Sous-total|Sous-total :|Total`,
    balances: parted`TVA 20 %|Solde|Moyenne|À reporter|Report|Net à payer|Solde au 31/07/2016|Reste à payer|TVA 5,5 %`,
    remarks: parted`(# lignes)|Extraction du 05/08/2016|Nombre de lignes : #|Fin|Fin du fichier|Édité le 05/08/2016`,
  },
  {
    name: "en",
    codePages: WESTERN,
    clients: parted`Smith & Sons|O'Neill Ltd|Café Royal|Baker, John|Total Fitness|Balance Studios|Grand Hotel|Sum Sushi|The Average Joe|Zoë Interiors`,
    cities: parted`London|Leeds|New York|Saint John's|York|Bath|Glasgow`,
    notes: parted`paid|to be called back|delivered|cancelled by client|2 parcels|see invoice|damaged|n.a.`,
    headers: parted`Customer|City|Remarks|Quantity|Due date|Tax`,
    titles: parted`Order export|Sales report|Acme Ltd, 12 High Street, London|Orders by customer|Monthly invoices: overview`,
    labels: parted`Printed on|Period|Printed by|Page|Department|User`,
    totals: parted`Total|TOTAL|Totals|Grand total|Grand Total:|Total amount|Sum|Total 2016|Total for the month|Total (USD)`,
    subtotals: parted`Subtotal|Sub-total|Sub total|Total`,
    balances: parted`VAT 20%|Balance|Average|Carried forward|Brought forward|Amount due|Closing balance|Sales tax|Balance due`,
    remarks: parted`(# rows)|# records|Exported on 05/08/2016|Number of rows: #|End|End of report`,
  },
  {
    name: "de",
    codePages: WESTERN,
    clients: parted`Müller GmbH|Bäckerei Groß|Schröder & Söhne|Gebrüder Weiß|Café König|Autohaus Jäger|Summe & Partner|Zwischenraum GmbH|Straßenbau Süd`,
    cities: parted`München|Köln|Düsseldorf|Würzburg|Lübeck|Görlitz|Berlin`,
    notes: parted`geliefert|zurückgerufen|bezahlt|Rechnung geprüft|überfällig|Straße gesperrt|für später|ÄNDERUNG FOLGT`,
    headers: parted`Kunde|Ort|Bemerkung|Menge|Fällig am|MwSt`,
    titles: parted`Auftragsliste|Rechnungsausgangsbuch|Müller GmbH, Hauptstraße 5, Köln|Export der Aufträge|Übersicht: Verkäufe`,
    labels: parted`Gedruckt am|Zeitraum|Erstellt von|Seite|Abteilung|Stand`,
    totals: parted`Summe|SUMME|Gesamt|Gesamtsumme|Gesamtsumme:|Gesamtbetrag|Endsumme|Summe netto|Summe Juli 2016|Insgesamt`,
    subtotals: parted`Zwischensumme|Zwischensumme:|Summe`,
    balances: parted`MwSt. 19 %|Saldo|Durchschnitt|Übertrag|Endbetrag|Zu zahlen|zzgl. 19 % MwSt.|Anfangssaldo`,
    remarks: parted`(# Zeilen)|Erstellt am 05.08.2016|Anzahl der Zeilen: #|Ende|Stand 05.08.2016|# Datensätze`,
  },
  {
    name: "es",
    codePages: WESTERN,
    clients: parted`García e Hijos|Núñez y Cía|Compañía Española|Panadería López|Peña, Íñigo|Suma Servicios|Señalización Martín|Café Colón`,
    cities: parted`Málaga|León|Cádiz|La Coruña|Logroño|Ávila|Madrid`,
    notes: parted`entregado|llamará mañana|pagado|año próximo|anulación|según contrato|envío dañado|DEVOLUCIÓN`,
    headers: parted`Cliente|Ciudad|Observación|Cantidad|Vencimiento|IVA`,
    titles: parted`Exportación de pedidos|Listado de facturas|Compañía Española, Calle Mayor 3, Madrid|Pedidos por cliente|Resumen: año en curso`,
    labels: parted`Impreso el|Período|Creado por|Página|Sección|Usuario`,
    totals: parted`Total|TOTAL|Total general|Suma|Importe total|Total:|Totales|Suma total|Total julio 2016|Total IVA incl.`,
    subtotals: parted`Subtotal|Subtotal:|Total`,
    balances: parted`IVA 21 %|Saldo|Promedio|Suma y sigue|Neto a pagar|A pagar|Saldo final|Base imponible|Media`,
    remarks: parted`(# filas)|Generado el 05/08/2016|Número de registros: #|Fin|Fin del informe|# registros`,
  },
  {
    name: "it",
    codePages: WESTERN,
    clients: parted`Rossi & Figli|Caffè Nero|Società Elettrica|Farmacia Città|Nicolò Bianchi|Media Servizi|Perché No Srl|Totale Edilizia`,
    cities: parted`Milano|Forlì|Cantù|L'Aquila|Mondovì|Roma|Cefalù`,
    notes: parted`consegnato|già pagato|è da richiamare|qualità verificata|più tardi|perché annullato|martedì|LUNEDÌ`,
    headers: parted`Cliente|Città|Nota|Quantità|Scadenza|IVA`,
    titles: parted`Esportazione ordini|Elenco fatture|Società Elettrica, Via Roma 7, Torino|Ordini per cliente|Riepilogo: attività`,
    labels: parted`Stampato il|Periodo|Creato da|Pagina|Reparto|Utente`,
    totals: parted`Totale|TOTALE|Totale generale|Totale complessivo|Somma|Totale:|Importo totale|Totale fatture|Totale luglio 2016`,
    subtotals: parted`Subtotale|Subtotale:|Totale`,
    balances: parted`IVA 22 %|Saldo|Media|A riportare|Riporto|Netto a pagare|Imponibile|Saldo finale|Da pagare`,
    remarks: parted`(# righe)|Creato il 05/08/2016|Numero di righe: #|Fine|Fine del report|Estratto il 05/08/2016`,
  },
  {
    name: "nl",
    codePages: WESTERN,
    clients: parted`Jansen & Zonen|Café België|De Vries BV|Van 't Hoff|Bakkerij Daniël|Coöperatie Noord|Total Care|Reünie BV`,
    cities: parted`Utrecht|Den Haag|Ijmuiden|Curaçao|Haarlem|Breda`,
    notes: parted`geleverd|betaald|terugbellen|geannuleerd|zie factuur|één pakket|vóór maandag`,
    headers: parted`Klant|Plaats|Opmerking|Aantal|Vervaldatum|BTW`,
    titles: parted`Export van orders|Factuurlijst|Jansen & Zonen, Dorpsstraat 1, Utrecht|Orders per klant|Overzicht: verkopen`,
    labels: parted`Afgedrukt op|Periode|Gemaakt door|Pagina|Afdeling`,
    totals: parted`Totaal|TOTAAL|Eindtotaal|Totaalbedrag|Totaal:|Som|Totaal juli 2016|Totaal excl. BTW`,
    subtotals: parted`Subtotaal|Subtotaal:|Totaal`,
    balances: parted`BTW 21 %|Saldo|Gemiddelde|Over te dragen|Te betalen|Eindsaldo|Nog te betalen`,
    remarks: parted`(# regels)|Gegenereerd op 05-08-2016|Aantal regels: #|Einde|# regels`,
  },
  {
    name: "pt",
    codePages: WESTERN.filter((page) => page !== "cp437"),
    clients: parted`João & Filhos|Padaria São Bento|Conceição Lda|Construções Leão|Irmãos Simões|Total Energias|Café Açoriano|Saldo Zero Lda`,
    cities: parted`São Paulo|Braga|Évora|Guimarães|Lisboa|Maceió`,
    notes: parted`entregue|não pago|ligar amanhã|anulação|situação regular|encomenda à espera|DEVOLUÇÃO`,
    headers: parted`Cliente|Cidade|Observação|Quantidade|Vencimento|IVA`,
    titles: parted`Exportação de encomendas|Lista de faturas|Conceição Lda, Rua Direita 2, Braga|Encomendas por cliente|Resumo: situação`,
    labels: parted`Impresso em|Período|Criado por|Página|Secção`,
    totals: parted`Total|TOTAL|Total geral|Soma|Valor total|Total:|Totais|Total julho 2016`,
    subtotals: parted`Subtotal|Subtotal:|Total`,
    balances: parted`IVA 23 %|Saldo|Média|A transportar|Transporte|Valor a pagar|Saldo final|A pagar`,
    remarks: parted`(# linhas)|Gerado em 05/08/2016|Número de linhas: #|Fim|Fim do relatório|# registros`,
  },
  {
    name: "pl",
    codePages: ["windows-1250"],
    clients: parted`Spółka Łódzka|Piekarnia Żółw|Księgarnia Świt|Kowalski i Synowie|Zakład Gąska|Müller Polska`,
    cities: parted`Łódź|Kraków|Poznań|Wrocław|Częstochowa|Gdańsk`,
    notes: parted`dostarczono|zapłacono|proszę oddzwonić|zwrot części|późniejszy termin|ANULOWAĆ`,
    headers: parted`Klient|Miasto|Uwagi|Liczba|Wymagane do|VAT`,
    titles: parted`Lista zamówień|Rejestr sprzedaży|Spółka Łódzka, ul. Długa 3, Łódź`,
    labels: parted`Wydrukowano|Okres|Strona`,
    totals: parted`Total`,
    subtotals: parted`Subtotal`,
    balances: parted`Saldo`,
    remarks: parted`(# rows)`,
  },
  {
    name: "ru",
    codePages: ["windows-1251"],
    clients: parted`ООО Ромашка|Завод Урал|Иванов и сыновья|Книжный мир|Пекарня Весна`,
    cities: parted`Москва|Казань|Пермь|Омск|Тула`,
    notes: parted`доставлено|оплачено|перезвонить завтра|отмена заказа|в обработке`,
    headers: parted`Клиент|Город|Примечание|Количество|Срок|НДС`,
    titles: parted`Список заказов|Журнал продаж`,
    labels: parted`Напечатано|Период|Страница`,
    totals: parted`Total`,
    subtotals: parted`Subtotal`,
    balances: parted`Saldo`,
    remarks: parted`(# rows)`,
  },
];
