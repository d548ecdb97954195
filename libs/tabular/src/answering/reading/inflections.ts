import type { AskedTable } from '../asked-table.js';
import { AGES, isBirth } from './elapsed.js';
import { lexiconOf } from './lexicon.js';
import { languageNamed, type LanguageCode } from './lexicon/languages.js';
import { stemOf } from './stems.js';
import { trades } from './trades.js';
import { fold, formsOf, nameWords, normalise, valueWords, withoutLabel, type Word } from './words.js';

/** Words of values and names that are looked through for the inflections of one. */
const MOST_PARTS = 20_000;
/** Shorter words are not inflected. */
const SHORTEST = 3;

/** The words of which the names and values of tables are made. */
export class TableWords {
  private readonly names = new Set<string>();
  private readonly all = new Set<string>();
  private readonly stems = new Map<LanguageCode, Map<string, string[]>>();

  constructor(tables: readonly AskedTable[]) {
    for (const table of tables) {
      const files = [table.alias, table.name, table.sheet ?? '', table.filename.replace(/\.[^.]+$/, '')];
      const columns = table.columns.flatMap(({ name, originalName, headerPath = [] }) => [
        name,
        originalName,
        ...headerPath,
      ]);
      for (const name of [...columns, ...files]) for (const part of nameWords(name)) this.names.add(part);
      for (const name of files) for (const part of nameWords(name)) this.names.add(withoutLabel(part));
      // «Durchschnittsalter»
      if (table.columns.some(isBirth)) for (const age of AGES) this.names.add(age);
      for (const { values } of table.columns)
        for (const value of values)
          for (const part of valueWords(value)) if (this.all.size < MOST_PARTS) this.all.add(part);
    }
    for (const name of this.names) this.all.add(name);
  }

  /** As it stands there, or in another number. */
  has(norm: string): boolean {
    return formsOf(norm).some((form) => this.all.has(form));
  }

  /** The same word as the tables spell it: `Koeln`, `Köln`; `Straße`, `STRASSE`. */
  spelled(plain: string, language: LanguageCode): string | null {
    const respelled = languageNamed(language)?.respell(plain) ?? plain;
    return [plain.replaceAll('ß', 'ss'), respelled].map(fold).find((one) => this.all.has(one)) ?? null;
  }

  /** Whether it is what somebody does who is named there: «Spiele» of «Spieler». */
  isAgentOf(plain: string): boolean {
    const [own] = /en?$/.test(plain) && !this.has(fold(plain)) ? [this.inflected(plain, 'de', 'names')] : [null];
    return own !== null && own !== undefined && own.endsWith('er');
  }

  /** The word of the tables of which this one is another form, when there is only one. */
  inflected(plain: string, language: LanguageCode, among: 'names' | 'all' = 'all'): string | null {
    if (plain.length < SHORTEST) return null;
    const { plural } = languageNamed(language) ?? {};
    const one = plural?.test(plain) ? fold(plain.replace(plural, '')) : null;
    if (one !== null && one.length >= SHORTEST && (among === 'all' ? this.all : this.names).has(one)) return one;
    const found = this.stemsIn(language).get(stemOf(plain, language)) ?? [];
    const [own, ...others] = found.filter((part) => among === 'all' || this.names.has(part));
    return own !== undefined && others.every((other) => formsOf(other).includes(own)) ? own : null;
  }

  private stemsIn(language: LanguageCode): Map<string, string[]> {
    const made = this.stems.get(language) ?? new Map<string, string[]>();
    if (made.size === 0)
      for (const part of [...this.all].toSorted((one, other) => one.length - other.length)) {
        if (part.length < SHORTEST || /\p{N}/u.test(part)) continue;
        const stem = stemOf(part, language);
        made.set(stem, [...(made.get(stem) ?? []), part]);
      }
    this.stems.set(language, made);
    return made;
  }
}

/**
 * The words of a question as they are read in a language: articles that are written onto a word and nouns that are joined to
 * one taken apart, inflected names and values as the tables have them.
 */
export function wordsIn(code: LanguageCode, words: readonly Word[], tables: TableWords): Word[] {
  const language = languageNamed(code);
  if (!language) return [...words];
  return words.flatMap((own, at) => {
    const word = { ...own, language: code };
    // «Verkäufe» are no «Verkäufer», though «offene Beträge» may be an «offener Betrag».
    const isNoun =
      code === 'de' && (trades(word) || (/^\p{Lu}/u.test(own.text) && !/^\p{Lu}/u.test(words[at + 1]?.text ?? '')));
    if (isNoun && tables.isAgentOf(own.plain)) return [word];
    if (word.quoted || tables.has(word.norm)) return [word];
    const elided = language.elisions?.exec(word.plain)?.[0];
    if (elided !== undefined && elided.length < word.text.length) {
      const [head, rest] = [part(word, 0, elided.length), part(word, elided.length)];
      return [{ ...head, norm: head.norm.replace("'", '') }, adapted(rest, code, tables)];
    }
    const adaptedWord = adapted(word, code, tables);
    const asks = lexiconOf(code).has(word.plain);
    return adaptedWord !== word || asks ? [adaptedWord] : (apart(word, code, tables) ?? [word]);
  });
}

function adapted(word: Word, code: LanguageCode, tables: TableWords): Word {
  if (tables.has(word.norm)) return word;
  const same = tables.spelled(word.plain, code);
  if (same !== null) return { ...word, norm: same };
  const meanings = lexiconOf(code).get(word.plain) ?? [];
  // «hatte» is no value «Hat», «Jahre» may be the column «Jahr».
  if (meanings.length > 0 && meanings.every(({ kind }) => kind !== 'unit')) return word;
  const norm = tables.inflected(word.plain, code);
  return norm === null ? word : { ...word, norm };
}

/** `Gesamtumsatz`: "gesamt Umsatz"; `Umsatzsumme`: "Summe Umsatz". */
function apart(word: Word, code: LanguageCode, tables: TableWords): Word[] | null {
  const { before = [], behind = [] } = languageNamed(code)?.compounds ?? {};
  for (const head of before.flatMap((one) => spelled(one, code))) {
    if (!word.plain.startsWith(head)) continue;
    const rest = named(part(word, head.length), code, tables);
    if (rest) return [part(word, 0, head.length), rest];
  }
  for (const tail of behind) {
    if (!word.plain.endsWith(tail)) continue;
    const at = word.text.length - tail.length;
    const name = named(part(word, 0, at), code, tables) ?? named(part(word, 0, at - 1), code, tables);
    if (name) return [part(word, at), name];
  }
  return null;
}

function spelled(word: string, code: LanguageCode): string[] {
  return [word, languageNamed(code)?.respell(word) ?? word];
}

function named(word: Word, code: LanguageCode, tables: TableWords): Word | null {
  const norm = tables.inflected(word.plain, code, 'names');
  return norm === null ? null : { ...word, norm };
}

/** A stretch of a word as a word of its own. */
function part(word: Word, from: number, to = word.text.length): Word {
  const text = word.text.slice(from, to);
  return {
    ...word,
    text,
    norm: fold(text),
    plain: normalise(text),
    glued: false,
    start: word.start + from,
    end: word.start + to,
  };
}
