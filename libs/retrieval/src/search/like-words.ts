import { fold } from '@app/common';
import type { DataSource } from 'typeorm';
import { termsOfToken } from '../analysis/analyse.js';
import { splits } from '../analysis/compounds.js';
import type { LanguageCode } from '../analysis/language.js';
import { lexemeLiteral } from '../chunk-index/terms-vector.js';
import { light } from '../analysis/tokens.js';
import type { ScopeTotals } from './scope-totals.js';
import type { SoughtWord } from './term-queries.js';
import { oneLetterOff } from './edits.js';
import { wordsThere } from './words-there.js';

/** Words of a question that others are looked for instead of. */
const MOST_REPLACED = 4;
const SHORTEST = 4;
const LONGEST = 32;
/** Of each word. */
const MOST_INSTEAD = 8;
/** Terms that are looked up for one word. */
const MOST_TRIED = 4000;
/** Letters at the end of a word that decide on its stem: `propuslion` and `propulsion` have different ones. */
const ENDING = 6;
/** Ways to part one word that are looked up. */
const MOST_PAIRS = 400;
const WORD = /^\p{L}+$/u;

/**
 * What may be meant by a word that nothing in the scope has: a word that is written much like it, or its own parts. Nothing is looked for when every word is found, which is nearly always.
 */
export class LikeWords {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The words with others in place of those that were not found.
   * @param there whether anything has each word
   * @returns null when nothing is to be replaced, or nothing is there to replace it
   */
  async replace(
    words: readonly SoughtWord[],
    there: readonly boolean[],
    { owners, languages }: ScopeTotals,
  ): Promise<readonly SoughtWord[] | null> {
    const missed = words
      .filter((word, at) => !there[at] && !word.optional && word.weight === 1 && word.word.length >= SHORTEST)
      .toSorted((left, right) => right.word.length - left.word.length)
      .slice(0, MOST_REPLACED);
    if (missed.length === 0) return null;
    const all = [...new Set<LanguageCode>(['en', ...languages])];
    const instead = new Map<SoughtWord, SoughtWord>();
    for (const word of missed) {
      const other = await this.insteadOf(word, owners, all);
      if (other) instead.set(word, other);
    }
    return instead.size === 0 ? null : words.map((word) => instead.get(word) ?? word);
  }

  private async insteadOf(
    word: SoughtWord,
    owners: readonly number[],
    languages: readonly LanguageCode[],
  ): Promise<SoughtWord | null> {
    const termsIn = (text: string) => [
      ...new Set(languages.flatMap((one) => termsOfToken(one === 'en' ? fold(text) : light(text, one), one))),
    ];
    if (!WORD.test(word.word)) {
      const together = await this.thereTogether(codeParts(word.word), owners);
      return together.length > 0 ? { ...word, together } : null;
    }
    if (word.word.length > LONGEST) return null;
    const like = await this.nearTerms(word, owners, termsIn);
    const together = like.length > 0 ? [] : await this.splitPairs(word.word, owners, termsIn);
    if (like.length === 0 && together.length === 0) return null;
    return { ...word, terms: [...word.terms, ...like], prefixes: [], together };
  }

  /** Both parts of a long word, where a passage has both: each pair that none has would only slow the search. */
  private async splitPairs(
    word: string,
    owners: readonly number[],
    termsIn: (text: string) => string[],
  ): Promise<string[][]> {
    const tried = [...splits(word)].flatMap((parts) => pairs(parts.map(termsIn))).slice(0, MOST_PAIRS);
    return this.thereTogether(tried, owners);
  }

  /** Those whose terms all stand in one passage. */
  private async thereTogether(tried: readonly string[][], owners: readonly number[]): Promise<string[][]> {
    const literals = tried.map((terms) =>
      owners.map((owner) => `(${terms.map((term) => lexemeLiteral(owner, term)).join(' & ')})`).join(' | '),
    );
    const there = await wordsThere(this.dataSource, literals, MOST_INSTEAD);
    return tried.filter((_, at) => there[at]);
  }

  /**
   * Which of the words that differ by one letter the owners have. Stems are changed, as thousands of words to stem take
   * a second in some languages; whole words only at their ends, of which a stem has lost some.
   */
  private async nearTerms(
    { word, terms: stems }: SoughtWord,
    owners: readonly number[],
    termsIn: (text: string) => string[],
  ): Promise<string[]> {
    const ended = oneLetterOff(word).filter((other) => other.startsWith(word.slice(0, -ENDING)));
    const terms = [
      ...new Set([
        ...stems.filter(({ length }) => length >= SHORTEST).flatMap(oneLetterOff),
        ...ended.flatMap(termsIn),
      ]),
    ];
    const tried = owners
      .flatMap((owner) => terms.map((term) => ({ term, literal: lexemeLiteral(owner, term) })))
      .slice(0, MOST_TRIED);
    const there = await wordsThere(
      this.dataSource,
      tried.map(({ literal }) => literal),
      MOST_INSTEAD,
    );
    return [...new Set(tried.filter((_, at) => there[at]).map(({ term }) => term))];
  }
}

/** Ways in which a code may have been parted: `AX9000B7` as `AX`, `9000`, `B7`. */
function codeParts(code: string): string[][] {
  const runs = code.match(/\p{L}+|\p{N}+/gu) ?? [];
  if (runs.length < 2 || runs.length > 5) return [];
  const ways = 2 ** (runs.length - 1);
  return Array.from({ length: ways - 1 }, (_, way) => {
    const parts = [runs[0]!];
    for (const [at, run] of runs.slice(1).entries())
      if ((way + 1) & (1 << at)) parts.push(run);
      else parts[parts.length - 1] += run;
    return parts;
  });
}

/** Each of the first with each of the second. */
function pairs([first = [], second = []]: readonly string[][]): string[][] {
  return first.flatMap((one) => second.map((other) => [one, other]));
}
