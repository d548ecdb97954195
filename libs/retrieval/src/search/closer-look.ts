import { fold } from '@app/common';
import { termsOfToken } from '../analysis/analyse.js';
import type { LanguageCode } from '../analysis/language.js';
import { plainLetters } from '../analysis/stemming.js';
import { stopWordsOf } from '../analysis/stop-word-lists.js';
import { light, TOKEN } from '../analysis/tokens.js';
import { K1, B } from './bm25.js';
import type { KeywordHit } from './keyword-search.js';
import type { Scored } from './scoring.js';
import type { SoughtWord } from './term-queries.js';

/**
 * What full marks in each add to a share, of what it lacks to 1. Cranfield likes more of both (0.414 with 0.4 for titles);
 * collections are known in which titles mislead, so it is little (test/bench/README.md).
 */
const [TITLE, NEAR] = [0.15, 0.1];
/** Words apart from each other, without those that mean nothing. */
const REACH = 5;
/** Analysing words costs time for each language. */
const MOST_LANGUAGES = 4;

interface Asked {
  sought: readonly SoughtWord[];
  /** Of each word, weighed. */
  weights: readonly number[];
  meanLength: number;
}

/**
 * The hits in the order of a closer look: words of the question that stand close together in a passage say more than the
 * same words far apart, and what the title or a heading names is what a document is about. Neither is in an index: only
 * what words found best is looked at, in memory.
 * @param rows best first
 * @param idfs of the words that were sought
 */
export function lookCloser(
  rows: readonly Scored[],
  sought: readonly SoughtWord[],
  idfs: readonly number[],
  { languages, meanLength }: { languages: readonly LanguageCode[]; meanLength: number },
): KeywordHit[] {
  const weights = sought.map((word, at) => (word.optional ? 0 : word.weight * idfs[at]!));
  const asked = { sought, weights, meanLength };
  const reader = new WordReader(sought, languages);
  const hits = rows.flatMap(({ id, score, best, text, context }) => {
    if (id === null) return [];
    const share = best > 0 ? score / best : 0;
    if (text === null) return [{ chunkId: id, score, share }];
    const more =
      (1 - TITLE * inTitle(reader.read(context ?? ''), asked)) * (1 - NEAR * nearness(reader.read(text), asked));
    return [{ chunkId: id, score, share: 1 - (1 - share) * more }];
  });
  // Equal ones stay as they are.
  return hits.sort((left, right) => right.share - left.share);
}

/** A word of the question in a text: where, counted in words that mean something, and which one. */
type Place = readonly [at: number, word: number];

interface ReadText {
  places: Place[];
  /** In words that mean something. */
  length: number;
}

/** Finds words of a question in texts; knows each word of the texts after it has met it once. */
class WordReader {
  private readonly known = new Map<string, readonly number[] | null>();
  private readonly byTerm = new Map<string, number[]>();
  private readonly beginnings: ReadonlySet<string>;
  private readonly languages: readonly LanguageCode[];

  constructor(sought: readonly SoughtWord[], languages: readonly LanguageCode[]) {
    this.languages = [...new Set<LanguageCode>(['en', ...languages])].slice(0, MOST_LANGUAGES);
    for (const [at, { terms, together = [] }] of sought.entries())
      for (const term of [...terms, ...together.flat()]) this.byTerm.set(term, [...(this.byTerm.get(term) ?? []), at]);
    this.beginnings = new Set([...this.byTerm.keys()].map(beginningOf));
  }

  read(text: string): ReadText {
    const places: Place[] = [];
    let length = 0;
    for (const [token] of text.matchAll(TOKEN))
      for (const part of token.split(PARTS)) {
        const words = this.wordsOf(part);
        if (words === null) continue;
        for (const word of words) places.push([length, word]);
        length++;
      }
    return { places, length };
  }

  /** Null for what means nothing. */
  private wordsOf(token: string): readonly number[] | null {
    let words = this.known.get(token);
    if (words === undefined) {
      words = this.analysed(token);
      this.known.set(token, words);
    }
    return words;
  }

  private analysed(token: string): readonly number[] | null {
    const plain = plainLetters(token);
    if (this.languages.some((language) => stopWordsOf(language).has(plain))) return null;
    if (/^[a-z]/.test(plain) && !this.beginnings.has(beginningOf(plain))) return NONE;
    const terms = this.languages.flatMap((one) => termsOfToken(one === 'en' ? fold(token) : light(token, one), one));
    return [...new Set(terms.flatMap((term) => this.byTerm.get(term) ?? []))];
  }
}

const NONE: readonly number[] = [];

/** No stemmer changes it, other than by an umlaut in front: other words need no stemming, which is most of the time. */
const beginningOf = (word: string) => word.slice(0, /^[aou]/.test(word) ? 1 : 2);

/** Where words that hyphens join stand beside each other. */
const PARTS = /[-/]/;

/** Share of the question that the title, headings and date have, 0 to 1. */
function inTitle({ places }: ReadText, { weights }: Asked): number {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const words = new Set(places.map(([, word]) => word));
  return all > 0 ? [...words].reduce((sum, word) => sum + weights[word]!, 0) / all : 0;
}

/** Two rare words beside each other weigh as much as two that are not so rare. */
const least = (weight: number) => Math.min(1, weight);

/**
 * How near each other the words of the question stand, 0 to 1: each gives its weight over the distance to the next
 * one, and what that comes to counts as repetitions do in BM25 (Büttcher, Clarke, Lushman 2006).
 */
function nearness({ places, length }: ReadText, { weights, meanLength }: Asked): number {
  const near = weights.map(() => 0);
  for (const [index, [at, word]] of places.entries()) {
    const [before, other] = places[index - 1] ?? [-Infinity, word];
    if (other === word || at - before > REACH) continue;
    const distance = Math.max(1, at - before);
    near[word]! += weights[other]! / distance;
    near[other]! += weights[word]! / distance;
  }
  const norm = K1 * (1 - B + (B * length) / meanLength);
  const all = weights.reduce((sum, weight) => sum + least(weight), 0);
  const sum = near.reduce((total, value, word) => total + (least(weights[word]!) * value) / (value + norm), 0);
  return all > 0 ? sum / all : 0;
}
