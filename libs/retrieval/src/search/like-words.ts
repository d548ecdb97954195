import { fold } from '@app/common';
import type { DataSource } from 'typeorm';
import { termsOfToken } from '../analysis/analyse.js';
import { splits } from '../analysis/compounds.js';
import type { LanguageCode } from '../analysis/language.js';
import { light } from '../analysis/tokens.js';
import type { ScopeTotals } from './scope-totals.js';
import type { SoughtWord } from './term-queries.js';
import { within } from './edits.js';

/** Words of a question that others are looked for instead of. */
const MOST_REPLACED = 4;
const SHORTEST = 4;
const LONGEST = 32;
/** Of each word. */
const MOST_INSTEAD = 8;
/** Letters that may be wrong, of so many. */
const EDITS = (length: number) => (length >= 8 ? 2 : 1);
const WORD = /^\p{L}+$/u;

/**
 * What may be meant by a word that nothing in the scope has: a word that is written much like it, a compound that it is
 * part of, its own parts. Nothing is looked for when every word is found, which is nearly always.
 */
export class LikeWords {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The words with others in place of those that were not found.
   * @param found chunks with each word
   * @returns null when nothing is to be replaced, or nothing is there to replace it
   */
  async replace(
    words: readonly SoughtWord[],
    found: readonly number[],
    { owners, languages }: ScopeTotals,
  ): Promise<readonly SoughtWord[] | null> {
    const missed = words
      .filter((word, at) => found[at] === 0 && !word.optional && word.weight === 1 && word.word.length >= SHORTEST)
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
      const together = codeParts(word.word);
      return together.length > 0 ? { ...word, together } : null;
    }
    if (word.word.length > LONGEST) return null;
    const near = await this.likeIt(word.word, owners);
    const part = word.terms.toSorted((left, right) => left.length - right.length)[0]!;
    const like = near.length > 0 ? near : await this.compounds(part, owners);
    const together = like.length > 0 ? [] : [...splits(word.word)].flatMap((parts) => pairs(parts.map(termsIn)));
    if (like.length === 0 && together.length === 0) return null;
    return { ...word, terms: [...word.terms, ...like.flatMap(termsIn)], prefixes: [], together };
  }

  /** Words of the owners that are written most like it. */
  private async likeIt(word: string, owners: readonly number[]): Promise<string[]> {
    const near = (await this.known(NEAR, owners, word, word.length >= 8 ? 0.4 : 0.3)).flatMap((other) => {
      const edits = within(EDITS(word.length), word, other);
      return edits === null ? [] : [{ other, edits }];
    });
    const least = Math.min(...near.map(({ edits }) => edits));
    const best = near.filter(({ edits }) => edits === least).map(({ other }) => other);
    return best.slice(0, MOST_INSTEAD);
  }

  /** Compounds of the owners that have this part. */
  private async compounds(part: string, owners: readonly number[]): Promise<string[]> {
    if (part.length <= SHORTEST) return [];
    const words = await this.known(HOLDING, owners, part, 1);
    return words.filter((other) => other.includes(part)).slice(0, MOST_INSTEAD);
  }

  private async known(
    statement: string,
    owners: readonly number[],
    word: string,
    similarity: number,
  ): Promise<string[]> {
    const rows = await this.dataSource.transaction(async (tx) => {
      await tx.query(`SELECT set_config('pg_trgm.word_similarity_threshold', $1, true)`, [String(similarity)]);
      return tx.query<{ words: string }[]>(statement, [owners, word]);
    });
    return [...new Set(rows.flatMap(({ words }) => words.split(' ')))];
  }
}

/** Rows of some hundred words that are compared with one word, and those of them that are read. */
const [COMPARED, READ] = [3000, 100];

const NEAR = `
  SELECT words FROM (
    SELECT words FROM index_words WHERE owner_id = ANY ($1::int[]) AND words %> $2 LIMIT ${COMPARED}
  ) AS like_it ORDER BY word_similarity($2, words) DESC LIMIT ${READ}`;
/** Of letters alone: none of them means anything in a pattern. */
const HOLDING = `
  SELECT words FROM index_words WHERE owner_id = ANY ($1::int[]) AND words LIKE '%' || $2 || '%' LIMIT ${READ}`;

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
