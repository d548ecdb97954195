import type { AskedColumn, AskedTable } from '../asked-table.js';
import { nounsOfRows } from './kinds-of-rows.js';
import { LANGUAGE_CODES, type LanguageCode } from './lexicon/languages.js';
import { isKey, isTime } from './reading.js';
import { inFull } from './short-names.js';
import { formsOf, nameWords, sameWord, withoutLabel, type Word } from './words.js';

/** Words of the names of files that name nothing. */
const NOISE =
  /^(?:\d+|data|dataset|list|export|final|table|tables|sheet\d*|copy|new|old|all|raw|clean|cleaned|full|sample|test|v\d+|csv|tsv|xlsx|report|january|february|march|april|june|july|august|september|october|november|december)$/;
const BETWEEN = new Set(['of', 'by', 'per', 'from', 'in', 'across', 'for', 'and', 'with', 'to', 'at', 'on']);
const SHORTEST = 4;
/** Of a word that is written together: `strikes` of `birdstrikes`. */
const SHORTEST_END = 5;

/** What people are called as such. Who they are besides ("managers") would be a condition. */
const PERSONS = new Set(
  `people persons person individuals individual humans human victims victim employees employee staff workers worker
   students student pupils pupil patients patient passengers passenger members member players player participants participant
   respondents respondent users user customers customer clients client residents resident citizens citizen guests guest
   اشخاص الاشخاص شخص ناس الناس موظف موظفا موظفين الموظفين طالب طالبا طلاب الطلاب مريض مرضي المرضي`
    .split(/\s+/)
    .filter(Boolean),
);
const ANYBODY = new Set(['people', 'persons', 'person', 'individuals', 'individual', 'اشخاص', 'شخص', 'ناس', 'الناس']);
/** Heads of a first column that lists what there is to say about things, which then stand beside each other. */
const PROPERTIES =
  /^(?:attributes?|propert(?:y|ies)|features?|characteristics?|specifications?|field|key|setting|merkmale?|eigenschaft(?:en)?|kennzahl|attribute?|caractéristiques?|attributs?|propriété|característica|atributo|propiedad|caratteristica|attributo|proprietà|propriedade|kenmerk|eigenschap)$/iu;
export const DAYS = new Set(['day', 'days', 'يوم', 'يوما', 'ايام', 'الايام', 'date', 'dates']);
/** Words before what is grouped by. */
export const GROUPING = new Set(['by', 'per', 'each', 'every', 'حسب', 'بحسب', 'لكل', 'كل']);

/** What a row of a table is called, besides its name and its number: the thing that its name ends with, a person, a day. */
export class RowNouns {
  private readonly heads: string[];
  private readonly days: boolean;
  /** Of what kind its columns say that a row is. */
  private readonly kinds: ReadonlySet<string>;

  /** @param byName whether what a column of names is called is one as well: "products" of `Product` */
  constructor(
    private readonly table: AskedTable,
    byName = false,
  ) {
    const names = [table.alias, table.name, table.sheet ?? '', table.filename.replace(/\.[^.]+$/, '')].map(headOf);
    // The day of a visit is that of a row of visits; a number of a visit that comes several times is not.
    const taken = (head: string) =>
      table.columns.some(
        (column) =>
          column.unique !== true && !isTime(column) && nameWords(column.name).some((part) => sameWord(part, head)),
      );
    const isTurned = isTurnedTable(table);
    const heads = [...new Set(names)].filter((head) => head.length >= SHORTEST && !taken(head) && !isTurned);
    const named = table.columns.filter(
      ({ type, unique, name }) => byName && type === 'text' && unique === true && !isTurned && !name.endsWith('name'),
    );
    this.heads = [...heads, ...named.map(({ name }) => headOf(name)).filter((head) => head.length >= SHORTEST)];
    this.kinds = isTurned ? new Set() : nounsOfRows(table);
    const dates = table.columns.filter(isTime);
    this.days = dates.length === 1 && dates[0]!.type === 'date' && dates[0]!.unique === true;
  }

  /** Whether the word is one; `sure` when nothing has to be said about it. */
  at(words: readonly Word[], at: number): { sure: boolean } | null {
    const { norm, quoted } = words[at]!;
    if (quoted) return null;
    if (this.days && DAYS.has(norm) && !GROUPING.has(words[at - 1]?.norm ?? '')) return { sure: true };
    if (this.table.persons === true && PERSONS.has(norm)) return { sure: ANYBODY.has(norm) };
    if (this.kinds.has(norm)) return { sure: false };
    return this.heads.some((head) => isHead(norm, head)) ? { sure: sameHead(norm, this.heads) } : null;
  }
}

const OF_NUMBERS = /^(?:رقم|numero|num|number|nummer|no|nr|id|de|di|do)$/;
/** What people number, one of it: a column `Orders` counts them. */
const NUMBERED_IN: Readonly<Record<string, string>> = {
  en: `order invoice ticket booking receipt transaction shipment delivery reservation claim incident case request purchase`,
  de: `bestellung auftrag rechnung buchung beleg lieferung ruckgabe reklamation vorgang fall anfrage einkauf`,
  fr: `commande facture reservation livraison dossier demande achat`,
  es: `pedido factura reserva recibo envio entrega solicitud compra`,
  it: `ordine fattura prenotazione ricevuta spedizione consegna richiesta acquisto`,
  pt: `encomenda fatura recibo remessa pedido`,
  nl: `bestelling factuur boeking levering aanvraag aankoop`,
  ar: `طلب الطلب طلبيه الطلبيه فاتوره الفاتوره حجز الحجز تذكره التذكره`,
};
const NUMBERED = new Set(Object.values(NUMBERED_IN).flatMap((words) => words.split(' ')));

/** Whether it is something that people number: several rows may be of one. */
export function isNumberedThing(norm: string): boolean {
  return [...NUMBERED].some((thing) => sameWord(norm, thing));
}

/** The one language, of those that questions are read in, in which people call what they number so: «Bestellung 17» asks in German. */
export function languageOfNumbered(words: readonly Word[]): LanguageCode | null {
  const codes = LANGUAGE_CODES.filter((code) => words.some((word) => !word.quoted && isNumberedIn(code, word.norm)));
  return codes.length === 1 ? codes[0]! : null;
}

function isNumberedIn(code: LanguageCode, norm: string): boolean {
  return NUMBERED_IN[code]?.split(' ').includes(norm) === true;
}

/** What is numbered by a column that is called so, as `Order`, `Order no`, «رقم الطلب»; null for any other. */
export function numberedBy({ type, originalName, name, thing }: AskedColumn): string | null {
  if (thing !== undefined) return thing;
  if (type !== 'integer' && type !== 'text') return null;
  const words = nameWords(originalName.trim() || name)
    .filter((word) => !OF_NUMBERS.test(word))
    .map(inFull);
  return words.length === 1 && NUMBERED.has(words[0]!) ? words[0]! : null;
}

/** The order of a file of lines: it has several rows. */
export function isKeyOfSeveral(column: AskedColumn): boolean {
  return column.unique === false && (isKey(column) || numberedBy(column) !== null);
}

const KEYS = new Set(['id', 'no', 'nr', 'num', 'number']);

/** Whether "orders" are those that the column numbers, as `Order` or `order_id`, and not their numbers: "order ids". */
export function namesNumbered(column: AskedColumn, words: readonly Word[]): boolean {
  const [word, ...others] = words;
  if (!word || others.length > 0 || word.quoted) return false;
  // Texts without digits are names: "the purchases in Oslo" of a column that says what was bought.
  if (column.type === 'text' && !column.values.every((value) => /\d/.test(value))) return false;
  const numbered = numberedBy(column);
  const [thing = '', key = '', ...more] = nameWords(column.name).map(inFull);
  const ofKey = more.length === 0 && KEYS.has(key) ? thing : null;
  return [numbered, ofKey].some((own) => own !== null && sameWord(word.norm, own));
}

/** The same of any column that tells the rows apart by whole numbers, where several are named: "respondents" of `Respondent`. */
export function namesThings(column: AskedColumn, words: readonly Word[]): boolean {
  if (namesNumbered(column, words)) return true;
  const [word, ...others] = words;
  const [name = '', ...more] = nameWords(column.name);
  const isOne = word !== undefined && others.length === 0 && more.length === 0;
  return (
    isOne && column.type === 'integer' && column.unique === true && word.norm !== name && sameWord(word.norm, name)
  );
}

/** Whether its rows are what is said about things ("Power", "Cost"), which have a column each: no row is one of them. */
export function isTurnedTable({ columns }: AskedTable): boolean {
  return columns.length > 2 && PROPERTIES.test(columns[0]!.originalName.trim());
}

/** Of `sales orders 2024` the orders, of `industries of Europe` the industries. */
function headOf(name: string): string {
  const words = nameWords(name);
  const end = words.findIndex((word, at) => at > 0 && BETWEEN.has(word));
  return withoutLabel((end > 0 ? words.slice(0, end) : words).filter((word) => !NOISE.test(word)).at(-1) ?? '');
}

function isHead(norm: string, head: string): boolean {
  if (sameWord(norm, head)) return true;
  const ends = formsOf(norm).filter((form) => form.length >= SHORTEST_END && form.length + 2 < head.length);
  return ends.some((end) => formsOf(head).some((form) => form.endsWith(end)));
}

function sameHead(norm: string, heads: readonly string[]): boolean {
  return heads.some((head) => sameWord(norm, head));
}
