import type { AskedColumn } from '../asked-table.js';
import type { ArithmeticColumns } from './arithmetic.js';
import { isMeasured } from './conditions.js';
import { addsUp } from './measures.js';
import { lexiconOf, LONGEST_PHRASE, type Comparison } from './lexicon.js';
import type { LanguageCode } from './lexicon/languages.js';
import { meaningsAt } from './meanings.js';
import type { Mark } from './mark-words.js';
import { isHeld } from './stocks.js';
import { isSaleWord } from './synonyms.js';
import type { Vocabulary } from './vocabulary.js';
import type { Word } from './words.js';

/** What is in store is worth. */
const HOLDINGS: Readonly<Partial<Record<LanguageCode, RegExp>>> = {
  en: /^(?:(?:stock|inventory) (?:value|valuation|worth)|(?:value|valuation|worth) of (?:(?:the|our|my|all|all our) )?(?:stock|inventory))(?= |$)/,
  de: /^(?:lagerwert|bestandswert|warenwert|lagerbestandswert|wert (?:des|unseres|vom) (?:lagers|bestands|bestandes|lagerbestands|lagerbestandes))(?= |$)/,
  fr: /^valeur (?:du|de notre) stock(?= |$)/,
  es: /^valor (?:del|de nuestro) (?:inventario|stock)(?= |$)/,
  it: /^valore (?:del|del nostro) (?:magazzino|inventario)(?= |$)/,
  pt: /^valor (?:do|do nosso) (?:estoque|inventario|stock)(?= |$)/,
  nl: /^(?:voorraadwaarde|waarde van (?:de|onze) voorraad)(?= |$)/,
};
/** In whatever language: they are no words of another one. */
const RATES: readonly (readonly [RegExp, (of: ArithmeticColumns) => AskedColumn[]])[] = [
  [
    /^(?:ctr|click ?- ?through rate|click ?through rate|click rate|klickrate)(?= |$)/,
    ({ clickRate }) => some(clickRate),
  ],
  [
    /^(?:conversion rate|conversionsrate|konversionsrate|taux de conversion|tasa de conversion|tasso di conversione|taxa de conversao)(?= |$)/,
    ({ conversionRates }) => conversionRates,
  ],
  [
    /^(?:profit margin|margin|gewinnmarge|umsatzrendite|marge beneficiaire|winstmarge)(?= |$)/,
    ({ margin }) => some(margin),
  ],
];
const some = (column: AskedColumn | null) => (column ? [column] : []);
/** The same. */
const PROFIT = /^(?:profits?|gewinne?|benefices?|beneficios?|ganancias?|profitt[oi]|util[ei]|lucros?|winst)$/;
/** What is to be ordered again. */
const LOW =
  /^(?:(?:need|needs|needing|have|has) to be (?:reordered|restocked|replenished)|(?:need|needs|needing) (?:reordering|restocking|replenishment|to reorder|to restock)|to (?:be )?(?:reorder(?:ed)?|restock(?:ed)?)|low (?:in |on )?stock|running low)(?= |$)/;
const OWN = new Set(['the', 'its', 'their', 'our']);
const IS = new Set('is are was were be ist sind war waren est sont etait es son era e sono sao zijn'.split(' '));
const OWN_SIGNS: readonly (readonly [RegExp, Comparison])[] = [
  [/^(?:exceed|exceeds|exceeded|exceeding|surpass|surpasses|surpassed)$/, '>'],
  [/^(?:met|meet|meets|reached|reach|reaches|hit)$/, '>='],
  [/^(?:missed|miss|misses)$/, '<'],
  [/^within$/, '<='],
];
const FURTHEST = /^(?:by )?(?:the )?(?:most|least|furthest|highest|lowest)(?: |$)/;
/** "Salary over years" may be along them. */
const ALONG = /^(?:over|under|across|by)$/;
/** A phrase of ours, at most. */
const MOST_WORDS = 6;

/**
 * What the words say of a figure that two columns make together, or of how one stands to the other.
 * @param known of how many words a name or a value of the table stands there
 */
export function arithmeticMarks(words: readonly Word[], at: number, vocabulary: Vocabulary, known: number): Mark[] {
  const { arithmetic } = vocabulary;
  const { language, quoted, norm } = words[at]!;
  if (quoted) return [];
  const take = (length: number) => ({ words: words.slice(at, at + length), at });
  const figure = (columns: readonly AskedColumn[], length: number): Mark[] =>
    columns.length === 0
      ? []
      : [{ kind: 'column', columns: [...columns], family: [...columns], general: true, ...take(length) }];
  const text = words
    .slice(at, at + MOST_WORDS)
    .map((word) => (word.quoted ? '"' : word.norm))
    .join(' ');
  const held = HOLDINGS[language]?.exec(text)?.[0].split(' ').length ?? 0;
  if (held > known) return figure(arithmetic.holdings, held);
  // "What is the value of" may be asked of anything.
  if (isOfWorth(words, at) && /^(?:stock|inventory)$/.test(norm)) return figure(arithmetic.holdings, 1);
  const low = language === 'en' ? LOW.exec(text)?.[0] : undefined;
  const left = low === undefined ? null : arithmetic.overReorderLevel;
  if (low !== undefined && left) return [{ kind: 'sign', columns: [left], op: '<=', ...take(low.split(' ').length) }];
  const said = new Sayings(words, vocabulary);
  const compared = said.comparedAt(at);
  if (compared) return [{ kind: 'sign', columns: [compared.column], op: compared.op, ...take(compared.length) }];
  const reckoned = said.reckonedAt(at);
  if (reckoned) return figure([reckoned.column], reckoned.length);
  const rate = RATES.find(([phrase]) => phrase.test(text));
  const length = rate?.[0].exec(text)?.[0].split(' ').length ?? 0;
  if (rate && length > known) return figure(rate[1](arithmetic), length);
  if (known > 0) return [];
  if (isSaleWord(words[at]!) && arithmetic.takings) return figure([arithmetic.takings], 1);
  if (PROFIT.test(norm) && arithmetic.profit) return figure([arithmetic.profit], 1);
  return [];
}

const SPENDING =
  /^(?:spent|spend|spends|ausgegeben|depense|depensees?|gastado|gasto|gastaron|speso|gastou|uitgegeven)$/;

/** Said of the money for what was bought. */
export function isSpending({ norm, quoted }: Word): boolean {
  return !quoted && SPENDING.test(norm);
}

/** "Value of our stock": how many pieces there are is not what they are worth. */
export function isWorthOf(words: readonly Word[], at: number, columns: readonly AskedColumn[]): boolean {
  return isOfWorth(words, at) && columns.some(isHeld);
}

function isOfWorth(words: readonly Word[], at: number): boolean {
  const before = words
    .slice(Math.max(0, at - 3), at)
    .map(({ norm }) => norm)
    .join(' ');
  return /(?:^| )(?:value|worth) of(?: (?:the|our|my|all))?$/.test(before);
}

function leads(word: Word | undefined, kind: Mark['kind']): boolean {
  if (word === undefined || word.quoted) return false;
  return (lexiconOf(word.language).get(word.plain) ?? []).some((meaning) => meaning.kind === kind);
}

/** Two columns of numbers and what stands between them. */
class Sayings {
  constructor(
    private readonly words: readonly Word[],
    private readonly vocabulary: Vocabulary,
  ) {}

  /** "Stock is below reorder level", "over budget" */
  comparedAt(at: number): { column: AskedColumn; op: Comparison; length: number } | null {
    const { arithmetic } = this.vocabulary;
    const first = this.figureAt(at);
    const isSaid = first !== null && IS.has(this.norm(at + first.length));
    const signAt = first === null ? at : at + first.length + (isSaid ? 1 : 0);
    const sign = this.signAt(signAt);
    if (!sign || (first && !isSaid && ALONG.test(this.norm(signAt)))) return null;
    const secondAt = this.skipOwn(signAt + sign.length);
    const second = this.figureAt(secondAt);
    if (!second || second.column === first?.column) return null;
    // "Orders over budget 500"
    if (/^\d/.test(this.norm(secondAt + second.length))) return null;
    // By how much they are is another question.
    if (FURTHEST.test(this.textAt(secondAt + second.length))) return null;
    const column = first ? arithmetic.difference(first.column, second.column) : arithmetic.from(second.column);
    return column && { column, op: sign.op, length: secondAt + second.length - at };
  }

  /** "Revenue minus cost", "quantity times price", "cost per click" */
  reckonedAt(at: number): { column: AskedColumn; length: number } | null {
    const first = this.figureAt(at) ?? this.costAt(at);
    if (!first) return null;
    const linkAt = at + first.length;
    const by = this.norm(linkAt) === 'multiplied' && this.norm(linkAt + 1) === 'by';
    const link = by ? 'times' : this.norm(linkAt);
    if (!/^(?:minus|times|per|pro|par|por)$/.test(link)) return null;
    const secondAt = this.skipOwn(linkAt + (by ? 2 : 1));
    const second = this.figureAt(secondAt);
    if (!second || second.column === first.column) return null;
    const column = this.reckon(link, first.column, second.column);
    return column && { column, length: secondAt + second.length - at };
  }

  private reckon(link: string, first: AskedColumn, second: AskedColumn): AskedColumn | null {
    const { arithmetic } = this.vocabulary;
    if (link === 'times') return arithmetic.product(first, second);
    if (link === 'minus') return arithmetic.remainder(first, second);
    // "Price per unit" may be what a column of prices says.
    return addsUp(first) && arithmetic.isCounted(second) ? arithmetic.quotient(first, second) : null;
  }

  /** "Cost" of a column `Spend` */
  private costAt(at: number): { column: AskedColumn; length: number } | null {
    const column = /^(?:cost|costs|spend|spending)$/.test(this.norm(at)) ? this.vocabulary.arithmetic.spending : null;
    return column && { column, length: 1 };
  }

  private textAt(at: number): string {
    return [0, 1, 2].map((next) => this.norm(at + next)).join(' ');
  }

  private norm(at: number): string {
    const word = this.words[at];
    return word && !word.quoted ? word.norm : '';
  }

  private skipOwn(at: number): number {
    const isArticle = OWN.has(this.norm(at)) || leads(this.words[at], 'article');
    return isArticle ? at + 1 : at;
  }

  /** The one column of numbers that is named there. */
  private figureAt(at: number): { column: AskedColumn; length: number } | null {
    if (at >= this.words.length) return null;
    const found = this.vocabulary.columnAt(this.words, at) ?? this.looseAt(at);
    const [column, ...others] = found?.columns.filter(isMeasured) ?? [];
    return found && column && others.length === 0 ? { column, length: found.length } : null;
  }

  private looseAt(at: number): { columns: AskedColumn[]; length: number } | null {
    const loose = this.vocabulary.looseAt(this.words, at);
    return loose?.whole === true ? loose : null;
  }

  private signAt(at: number): { op: Comparison; length: number } | null {
    if (at >= this.words.length) return null;
    const [, own] = OWN_SIGNS.find(([words]) => words.test(this.norm(at))) ?? [];
    if (own) return { op: own, length: 1 };
    const sign = meaningsAt(this.words, at, LONGEST_PHRASE).find(
      (mark) => mark.kind === 'compare' && mark.of !== 'times',
    );
    return sign?.kind === 'compare' ? { op: sign.op, length: sign.words.length } : null;
  }
}
