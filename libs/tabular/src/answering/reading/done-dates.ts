import type { AskedColumn, AskedTable } from '../asked-table.js';
import { isStatusColumn } from './done-when.js';
import type { LanguageCode } from './lexicon/languages.js';
import { isTime, labelOf } from './reading.js';
import { stemOf } from './stems.js';
import { actedColumns } from './verbs.js';
import { fold, nameWords, sameWord, type Word } from './words.js';

/** What a word says of dates: `known` of "closed", not of "unpaid", "open". */
export interface DoneMark {
  dates: AskedColumn[];
  known: boolean;
  /** "Overdue": what had to be done before `today`, an ISO date. */
  overdue?: { column: AskedColumn; today: string };
}

interface DoneWords {
  /** What is done may be called so; a noun ("order") may not. In lower case, with accents. */
  participle: RegExp;
  /** What stands before a participle of which the contrary is meant. */
  contrary: RegExp | null;
  /** Of what has not come to its end, whatever that is called. */
  open: RegExp;
  /** Of what should have. */
  overdue: RegExp;
  /** "Still", "already": says nothing more. */
  aside: ReadonlySet<string>;
  /** "Not yet", "never": no more than "not". */
  not: readonly string[];
}

const set = (words: string) => new Set(words.split(/\s+/));

/** Nouns that end as participles do, and what dates are called by all. */
const NOUNS = set(
  `data datas date dates dati daten datum fecha fechas visita visitas visite entrada entradas entrata entrate salida salidas saida
   saidas uscita uscite llegada llegadas chegada chegadas partida partidas partita partite vendita vendite venda pedido pedidos
   partido partidos estado estados resultado resultados contenido apellido mercado jornada stato stati risultato contatto contatti`,
);
const NOUN_ENDINGS = /(?:ung|ungen|heit|heiten|keit|keiten|ing|ingen|ion|ionen)$/;
const ENGLISH: DoneWords = {
  participle: /(?:ed|paid|sent|sold|done|built|shipped|left|met|made|bought|taken|given|written|won|lost)$/,
  contrary: /^un(?=\p{L}{4})/u,
  open: /^(?:open|outstanding|pending|unfinished|incomplete)$/,
  overdue: /^(?:over|past)due$/,
  aside: set('still yet already been'),
  not: ['still not', 'never'],
};
const WORDS: Readonly<Record<LanguageCode, DoneWords>> = {
  en: ENGLISH,
  ar: ENGLISH,
  de: {
    participle: /^\p{L}{4,}(?:t|en)(?:e[nrms]?)?$/u,
    contrary: /^un(?=\p{L}{5})/u,
    open: /^(?:offene?[nrms]?|ausstehende?[nrms]?|unerledigte?[nrms]?)$/,
    overdue: /^uberfallige?[nrms]?$/,
    aside: set('noch bereits schon'),
    not: ['noch nicht', 'nie', 'niemals'],
  },
  fr: {
    participle: /(?:é|i|u|is|os)e?s?$/,
    contrary: /^im(?=p\p{L}{3})/u,
    open: /^(?:ouverte?s?|inacheve?e?s?)$/,
    overdue: /^(?:echue?s?|retard)$/,
    aside: set('encore deja toujours'),
    not: ['pas encore', 'jamais'],
  },
  es: {
    participle: /(?:ad|id|uelt|iert|ech|rit)[oa]s?$/,
    contrary: null,
    open: /^(?:abiert[oa]s?|pendientes?)$/,
    overdue: /^vencid[oa]s?$/,
    aside: set('aun todavia ya'),
    not: ['aun no', 'todavia no', 'nunca'],
  },
  it: {
    participle: /(?:[aiu]t|ius|ers|olt|ert|att|itt)[oaie]$/,
    contrary: null,
    open: /^(?:apert[oaie]|pendent[ei])$/,
    overdue: /^scadut[oaie]$/,
    aside: set('ancora gia'),
    not: ['non ancora', 'mai'],
  },
  pt: {
    participle: /(?:ad|id|ert|eit|it|ag|ueg|ess|ris)[oa]s?$/,
    contrary: null,
    open: /^(?:abert[oa]s?|pendentes?)$/,
    overdue: /^(?:vencid|atrasad)[oa]s?$/,
    aside: set('ainda ja'),
    not: ['ainda nao', 'nunca'],
  },
  nl: {
    participle: /^\p{L}{4,}(?:d|t|en)e?$/u,
    contrary: /^on(?=\p{L}{5})/u,
    open: /^(?:open|openstaande?|onafgeronde?)$/,
    overdue: /^(?:achterstallige?|verlopen)$/,
    aside: set('nog al reeds'),
    not: ['nog niet', 'nooit'],
  },
};

/** How dates are called on which a thing comes to its end. */
const ENDS =
  /^(?:clos|resol[uv]|complet|finish|solved|settled|ended|paid|payment|fulfil|ship|deliver|dispatch|return|cancel|geschlossen|abgeschlossen|abschluss|erledig|gelost|beendet|bezahl|zahlung|liefer|gelief|versand|versend|ferm|clotur|termine|paye|paiement|regle|livr|exped|cerrad|cierre|terminad|pagad|pago$|entreg|envi|chius|pagat|pagament|consegn|spedi|fechad|fechament|conclui|afgeslot|geslot|opgelost|voltooi|afgerond|lever(?:d|t|ing)|betaal|betaling|gelever|bezorg|verzond)/;
/** Columns that may say as well whether a thing has come to its end. */
const STAGES = /(?:^|_)(?:stage|phase|progress|etape|étape|etapa|fase|stato|situation)(?:_|$)/iu;
/** Dates until which something has to be done. */
const DUE =
  /^(?:due|deadline|fallig|falligkeit|falligkeitsdatum|frist|echeance|vencimiento|scadenza|vencimento|verval|vervaldatum|vervaldag)$/;
/** Dates on which somebody leaves, and what people do then. */
const EXITS = /^(?:exit|leav|left|terminat|resign|depart|separat|quit)/;
const LEFT = /^(?:left|leave|leaves|leaving|quit|resigned|departed|former)$/;
const STAYED = /^(?:current|active|employed)$/;
/** Dates on which a contract, a subscription ends; in the names of its customers nobody leaves. */
const CANCELS = /^(?:cancel|churn|unsubscri|deactivat)/;
/** Dates on which nothing has happened yet. */
const PLANNED =
  /^(?:due|plan|planned|expected|estimated|scheduled|promised|required|requested|target|deadline|eta|next|renewal|expir|valid|soll|geplant|fallig|erwartet|frist|prevu|echeance|previst|vencimiento|scadenza|vencimento|gepland|verwacht|verval)/;

const partsOf = (column: AskedColumn) => [...new Set([...nameWords(labelOf(column)), ...nameWords(column.name)])];

const isCalled = (column: AskedColumn, names: RegExp) => partsOf(column).some((part) => names.test(part));

/** Whether it is the time at which a thing comes to its end. */
export function isEnd(column: AskedColumn): boolean {
  return isCalled(column, ENDS);
}

/** Whether it is the time at which somebody leaves. */
export function isExit(column: AskedColumn): boolean {
  return isCalled(column, EXITS);
}

/** Whether it is a time at which something is to be, or should have been. */
export function isPlanned(column: AskedColumn): boolean {
  return isCalled(column, PLANNED);
}

/** Dates that some rows have, all of them past: those rows are done. */
function doneDates({ columns }: AskedTable, today: string | null): AskedColumn[] {
  if (today === null) return [];
  return columns.filter(
    (column) =>
      isTime(column) &&
      column.nullable &&
      column.span !== undefined &&
      String(column.span[1]).slice(0, 10) <= today &&
      !isPlanned(column),
  );
}

/**
 * "Closed tickets", "not shipped", "unpaid", "still open", where only a date tells: a thing is done once its day is known.
 * @param today ISO date; without it no date is known to be past
 * @returns null where the word says nothing of that
 */
export function doneAt(words: readonly Word[], at: number, table: AskedTable, today: string | null): DoneMark | null {
  const word = words[at]!;
  if (word.quoted) return null;
  const dates = doneDates(table, today);
  if (dates.length === 0) return null;
  const { participle, contrary, open, overdue } = WORDS[word.language];
  const plain = fold(word.plain);
  const called = (names: RegExp, among: readonly AskedColumn[] = dates) =>
    among.filter((column) => isCalled(column, names));
  const exits = word.language === 'en' ? called(EXITS) : [];
  if (exits.length > 0 && LEFT.test(plain)) return { dates: exits, known: true };
  const isParticiple = (said: Word) =>
    participle.test(said.plain) && !NOUNS.has(fold(said.plain)) && !NOUN_ENDINGS.test(fold(said.plain));
  const own = isParticiple(word) ? datesOf(words, at, dates, table) : [];
  if (own.length > 0) return { dates: own, known: true };
  // What a status calls open is told by the status.
  if (table.columns.some((column) => isStatusColumn(column) || STAGES.test(column.name))) return null;
  const left = word.language === 'en' ? [...exits, ...called(CANCELS)] : [];
  if (left.length > 0 && STAYED.test(plain)) return { dates: left, known: false };
  const ends = called(ENDS);
  if (ends.length > 0 && open.test(plain)) return { dates: ends, known: false };
  const [due, ...others] = called(DUE, table.columns.filter(isTime));
  if (ends.length > 0 && due && others.length === 0 && overdue.test(plain))
    return { dates: ends, known: false, overdue: { column: due, today: today! } };
  const prefix = contrary?.exec(plain)?.[0];
  const bare = prefix === undefined ? null : cut(word, prefix.length);
  if (!bare || !isParticiple(bare)) return null;
  const undone = datesOf([...words.slice(0, at), bare, ...words.slice(at + 1)], at, dates, table);
  return undone.length > 0 ? { dates: undone, known: false } : null;
}

function datesOf(words: readonly Word[], at: number, dates: readonly AskedColumn[], table: AskedTable): AskedColumn[] {
  const acted = actedColumns(words, at, table);
  const { norm, plain, language } = words[at]!;
  const stem = stemOf(plain, language);
  const isOf = (part: string) => sameWord(norm, part) || stemOf(part, language) === stem;
  return dates.filter((column) => acted.includes(column) || partsOf(column).some(isOf));
}

function cut(word: Word, length: number): Word {
  const text = word.text.slice(length);
  return { ...word, text, norm: fold(text), plain: text.toLowerCase() };
}

/** How many words from there on say "not yet" or "never" of what is done, or nothing: `not` of the first. */
export function adverbAt(
  words: readonly Word[],
  at: number,
  table: AskedTable,
  today: string | null,
): { length: number; not: boolean } | null {
  const { language, quoted, plain } = words[at]!;
  if (quoted || doneDates(table, today).length === 0) return null;
  const { aside, not } = WORDS[language];
  const begins = (phrase: string) =>
    phrase.split(' ').every((part, next) => fold(words[at + next]?.plain ?? '') === part);
  const length = Math.max(0, ...not.filter(begins).map((phrase) => phrase.split(' ').length));
  if (length > 0) return { length, not: true };
  return aside.has(fold(plain)) ? { length: 1, not: false } : null;
}
