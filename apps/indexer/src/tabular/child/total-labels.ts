const TOTALS =
  'total|totals|sum|sums|overall|grand totals?|totals? general|total général|total generale|total geral|totaal|totale|toplam|' +
  'summe|summen|gesamt|gesamtsumme|gesamtergebnis|insgesamt|endsumme|somme|suma|ensemble|' +
  'المجموع|مجموع|الإجمالي|الاجمالي|إجمالي|اجمالي|المجموع الكلي|الإجمالي الكلي|الاجمالي الكلي|المجموع العام|' +
  'итого|всего|razem|celkem|合計|総計|总计|合计|總計|합계';
const SUBTOTALS =
  'sub-?totals?|sub totals?|zwischensummen?|teilsummen?|sous-?totaux|sous[- ]total|subtotales|sumas? parcial(es)?|' +
  'المجموع الفرعي|الإجمالي الفرعي|المجموع الجزئي|подытог|小計|小计|소계';
const MEANS = 'averages?|avg\\.?|mean|durchschnitt|mittelwert|schnitt|moyennes?|promedios?|media|المتوسط|متوسط';

const WORDS = `(${TOTALS}|${SUBTOTALS})`;
const NAMED = '[^0-9=]{0,60}';
/** Never "max" or "min", which are names of people, too. */
const OTHER_FIGURES =
  'minimum|maximum|median|médiane?|mediana|mínimo|máximo|minimo|massimo|std\\.? ?dev\\.?|standard deviation|standardabweichung|' +
  'écart[- ]type|desviación (estándar|típica)|deviazione standard';

/** What an account comes to before and after the rows that move it. */
const BALANCES =
  '(opening|closing|starting|ending|final|initial|old|new) balance|balance (brought|carried) forward|' +
  '(anfangs|end|schluss|abschluss)(saldo|bestand)|saldovortrag|(alter|neuer) (saldo|kontostand)|übertrag|' +
  'solde (initial|final|d.ouverture|de clôture|précédent)|saldo (anterior|inicial|final|iniziale|finale|początkowe|końcowe)|' +
  '(begin|eind)saldo|devir';
/** What the rows above come to, where they do: incomes and expenses with their signs. */
const RESULTS =
  '(net|gross|operating) (income|profit|loss|result|margin|cash ?flow)|net (profit|income)/?\\(?loss\\)?|surplus|deficit|' +
  '(jahres|perioden|betriebs|roh|gesamt)(überschuss|fehlbetrag|ergebnis|ertrag)|ergebnis|überschuss|' +
  'résultat (net|d.exploitation)|bénéfice net|resultado (neto|bruto|líquido)|beneficio neto|utile netto|risultato netto|' +
  'lucro líquido|netto ?resultaat|nettowinst';

/** With the name of what is summed up before or behind: "North Total", "Summe Nord", "Total 2023". */
const BEFORE = `${NAMED}[ :–-]${WORDS}`;
const BEHIND = `${WORDS}( |:|-| für | of | for | de | von )[^=]{0,60}`;

/** A pattern for the label of a row that may sum others up; for texts in lower case without blanks around them. */
export const TOTAL_LABEL = `(${WORDS}|${MEANS}|${OTHER_FIGURES}|${BALANCES}|${RESULTS}|${BEFORE}|${BEHIND})[ :]*`;

const exactly = (words: string) => new RegExp(`^(?:${words})[ :]*$`, 'u');
const TOTAL_ALONE = exactly(WORDS);
const FIGURE_ALONE = exactly(`${WORDS}|${MEANS}|${OTHER_FIGURES}|${BALANCES}`);
const MEAN_ALONE = exactly(MEANS);

export const isMeanLabel = (label: string): boolean => MEAN_ALONE.test(label.trim().toLowerCase());
/** Whether a label says nothing but that its row sums up. */
export const isBareTotal = (label: string): boolean => TOTAL_ALONE.test(label.trim().toLowerCase());
/** Whether a label says nothing but that its row sums up, or which figure it has of the rows. */
export const isBareFigure = (label: string): boolean => FIGURE_ALONE.test(label.trim().toLowerCase());
