import type { AskedColumn, AskedTable, Elapsed } from '../asked-table.js';
import type { ElapsedColumns } from './elapsed.js';
import { isSameDeed } from './deeds.js';
import type { ElapsedMark } from './elapsed-words.js';
import type { LanguageCode } from './lexicon/languages.js';
import { isTime, labelOf } from './reading.js';
import type { Vocabulary } from './vocabulary.js';
import { fold, nameWords, type Word } from './words.js';

interface Language {
  /** "Delivery time": the end of one word, or a word before what is done. */
  time: RegExp;
  /** What stands before it in that word, or behind it, of whatever comes to an end. */
  anyEnd: RegExp;
  /** "Duration", by itself. */
  whole: RegExp;
  /** Between a time and what is done; null where they are one word. */
  of: RegExp | null;
  units: Readonly<Record<string, Elapsed['unit']>>;
  /** "Number of" */
  count: RegExp;
  between: readonly [RegExp, RegExp];
  articles: RegExp;
  /** "Average", behind what it is said of. */
  average: RegExp;
  age: RegExp;
}

const NONE = /^$/;

/** In words without accents. */
const LANGUAGES: Partial<Record<LanguageCode, Language>> = {
  de: {
    time: /(?:zeit|dauer)$/,
    anyEnd: /^(?:|bearbeitungs|durchlauf|verweil|aufenthalts|gesamt|leih|projekt|prozess|wartezeit|warte)$/,
    whole: NONE,
    of: null,
    units: { tage: 'day', tagen: 'day', stunden: 'hour', wochen: 'week', minuten: 'minute' },
    count: /^(?:anzahl|zahl)$/,
    between: [/^zwischen$/, /^und$/],
    articles: /^(?:der|die|das|dem|den)$/,
    average: NONE,
    age: /^(?:alter|lebensalter)$/,
  },
  nl: {
    time: /(?:tijd|duur)$/,
    anyEnd: /^(?:|doorloop|verwerkings|behandel|verblijfs|totale|wacht)$/,
    whole: NONE,
    of: null,
    units: { dagen: 'day', uren: 'hour', weken: 'week', minuten: 'minute' },
    count: /^aantal$/,
    between: [/^tussen$/, /^en$/],
    articles: /^(?:de|het|een)$/,
    average: NONE,
    age: /^leeftijd$/,
  },
  fr: {
    time: /^(?:delais?|temps|durees?)$/,
    anyEnd: /^(?:traitement|sejour|attente|pret|location)$/,
    whole: /^durees?$/,
    of: /^(?:de|d'|d|du|des|la|le|l'|l)$/,
    units: { jours: 'day', heures: 'hour', semaines: 'week', minutes: 'minute' },
    count: /^nombre$/,
    between: [/^entre$/, /^et$/],
    articles: /^(?:le|la|les|l'|l|un|une)$/,
    average: /^moyen(?:ne)?s?$/,
    age: /^age$/,
  },
  es: {
    time: /^(?:tiempos?|plazos?|duracion)$/,
    anyEnd: /^(?:procesamiento|tramitacion|estancia|espera|prestamo|alquiler)$/,
    whole: /^duracion$/,
    of: /^(?:de|del|la|el)$/,
    units: { dias: 'day', horas: 'hour', semanas: 'week', minutos: 'minute' },
    count: /^numero$/,
    between: [/^entre$/, /^(?:y|e)$/],
    articles: /^(?:el|la|los|las|un|una)$/,
    average: /^(?:medi[oa]|promedio)s?$/,
    age: /^edad$/,
  },
  it: {
    time: /^(?:tempo|tempi|durata)$/,
    anyEnd: /^(?:lavorazione|elaborazione|permanenza|soggiorno|attesa|prestito|noleggio)$/,
    whole: /^durata$/,
    of: /^(?:di|del|della|dell'|dell|la|il)$/,
    units: { giorni: 'day', ore: 'hour', settimane: 'week', minuti: 'minute' },
    count: /^numero$/,
    between: [/^(?:tra|fra)$/, /^(?:e|ed)$/],
    articles: /^(?:il|la|lo|l'|l|i|gli|le|un|una)$/,
    average: /^medi[oae]$/,
    age: /^eta$/,
  },
  pt: {
    time: /^(?:tempos?|prazos?|duracao)$/,
    anyEnd: /^(?:processamento|atendimento|estadia|permanencia|espera|emprestimo|aluguel)$/,
    whole: /^duracao$/,
    of: /^(?:de|do|da|a|o)$/,
    units: { dias: 'day', horas: 'hour', semanas: 'week', minutos: 'minute' },
    count: /^numero$/,
    between: [/^entre$/, /^e$/],
    articles: /^(?:o|a|os|as|um|uma)$/,
    average: /^medi[oa]s?$/,
    age: /^idade$/,
  },
};

/** «Durchschnittliche Lieferzeit», «délai de livraison», «días entre pedido y entrega», «edad media»: the same as in English, in fewer forms. */
export function elapsedAbroad(words: readonly Word[], at: number, vocabulary: Vocabulary): ElapsedMark[] {
  const language = LANGUAGES[words[at]!.language];
  if (!language) return [];
  const elapsed = vocabulary.elapsedIn(words[at]!.language);
  const { age } = elapsed;
  const said = (place: number) => (words[place] && !words[place].quoted ? fold(words[place].plain) : '');
  if (age && language.age.test(said(at))) return [{ kind: 'column', columns: [age], length: 1 }];
  const marks = [timeOf(said, at, language, elapsed), between(words, said, at, language, elapsed, vocabulary.table)];
  return marks.flatMap((mark) => mark ?? []);
}

type Said = (place: number) => string;

function markOf(columns: AskedColumn[], length: number): ElapsedMark | null {
  return columns.length === 0 ? null : { kind: 'column', columns, length };
}

function timeOf(said: Said, at: number, language: Language, elapsed: ElapsedColumns): ElapsedMark | null {
  const { time, anyEnd, of, whole, average } = language;
  const head = said(at);
  if (!time.test(head)) return null;
  const spansTo = (deed: string, isAny = anyEnd.test(deed)) =>
    elapsed.spans.filter(([, to]) => isAny || isNamed(to, deed)).map(([from, to]) => elapsed.between(from, to));
  if (of === null) return markOf(spansTo(head.replace(time, '')), 1);
  // «Tiempo medio de entrega»: of times nothing but the average is meant where nothing else is said.
  const begin = at + (average.test(said(at + 1)) ? 2 : 1);
  let next = begin;
  while (of.test(said(next))) next++;
  const ofDeed = next > begin ? spansTo(said(next)) : [];
  if (ofDeed.length > 0) return markOf(ofDeed, next + 1 - at);
  return whole.test(head) ? markOf(spansTo('', true), begin - at) : null;
}

function between(
  words: readonly Word[],
  said: Said,
  at: number,
  { units, count, of, between: [begins, joins], articles, average }: Language,
  elapsed: ElapsedColumns,
  table: AskedTable,
): ElapsedMark | null {
  let head = at;
  if (count.test(said(head))) head += average.test(said(head + 1)) ? 2 : 1;
  while (head > at && (of?.test(said(head)) || articles.test(said(head)))) head++;
  const unit = Object.hasOwn(units, said(head)) ? units[said(head)]! : null;
  if (unit === null || !begins.test(said(head + 1))) return null;
  const dates = table.columns.filter(isTime);
  const named = (place: number) => {
    const start = articles.test(said(place)) ? place + 1 : place;
    const [column, ...others] = dates.filter((date) => isNamed(date, said(start)));
    return column && others.length === 0 && !words[start]!.quoted ? { column, next: start + 1 } : null;
  };
  const from = named(head + 2);
  const to = from && joins.test(said(from.next)) ? named(from.next + 1) : null;
  if (!from || !to || from.column === to.column) return null;
  return { kind: 'column', columns: [elapsed.between(from.column, to.column, unit)], length: to.next - at };
}

function isNamed(column: AskedColumn, deed: string): boolean {
  const bare = deed.replace(/^ge(?=\p{L}{4})/u, '');
  return nameWords(labelOf(column)).some((part) => isSameDeed(bare, part.replace(/^ge(?=\p{L}{4})/u, '')));
}
