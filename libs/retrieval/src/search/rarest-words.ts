import type { DataSource } from 'typeorm';
import type { QuestionWord } from '../analysis/question-words.js';
import { inverseFrequency } from './bm25.js';
import { SAMPLE_RATE } from './candidates.js';
import { countStatement } from './keyword-statements.js';
import type { ScopeTotals } from './scope-totals.js';
import { anyQuery } from './term-queries.js';
import { wordsThere } from './words-there.js';

/** More words than these add time and hardly a better ranking. */
const MOST_WORDS = 64;
/** Of a pasted page, so many are looked up. */
const MOST_COMPARED = 256;
/** Chunks that tell rare words from common ones. */
const SAMPLE = 400;
/** Up to here the chunks of a scope are gone through without the index. */
const LARGE_SCOPE = 20_000;

/** Of a long question, the words that tell most: the rarest in the scope among those that are in it at all. */
export class RarestWords {
  constructor(private readonly dataSource: DataSource) {}

  /** All of them while they are few; else 64, in the order of the question. */
  async choose(
    words: readonly QuestionWord[],
    { parameters, narrowed }: { parameters: unknown[]; narrowed: boolean },
    totals: ScopeTotals,
  ): Promise<readonly QuestionWord[]> {
    if (words.length <= MOST_WORDS) return words;
    const compared = words.length <= MOST_COMPARED ? words : ends(words);
    const found = await this.count(compared, { parameters, narrowed }, totals);
    const weighed = compared.map((word, at) => ({
      at,
      weight: found[at] === 0 ? -1 : word.weight * inverseFrequency(found[at]!, totals.chunks),
    }));
    const kept = weighed.toSorted((left, right) => right.weight - left.weight).slice(0, MOST_WORDS);
    return kept
      .map(({ at }) => at)
      .toSorted((left, right) => left - right)
      .map((at) => compared[at]!);
  }

  /** Estimated chunks with each word; 0: none of the owners has it anywhere. */
  private async count(
    words: readonly QuestionWord[],
    { parameters, narrowed }: { parameters: unknown[]; narrowed: boolean },
    totals: ScopeTotals,
  ): Promise<number[]> {
    const { owners, chunks } = totals;
    const way = chunks < LARGE_SCOPE ? 'scan' : narrowed ? 'each' : 'best';
    const unit = way === 'scan' ? 1 : SAMPLE_RATE;
    const rate = unit * Math.max(1, Math.floor(chunks / (SAMPLE * unit)));
    const queries = owners.map((owner) => words.map((word) => anyQuery(word, owner)));
    const [row] = await this.dataSource.query<{ counts: number[] }[]>(countStatement(words.length, rate, way), [
      ...parameters,
      owners,
      queries.map((each) => each.join(' | ')),
      ...words.map((_, at) => queries.map((each) => each[at]!)),
    ]);
    const seen = row?.counts ?? [];
    const unseen = words.map((_, at) => at).filter((at) => !seen[at]);
    const there = await wordsThere(
      this.dataSource,
      unseen.map((at) => queries.map((each) => each[at]!).join(' | ')),
    );
    return words.map((_, at) => (seen[at] ? seen[at] * rate : there[unseen.indexOf(at)] ? rate / 2 : 0));
  }
}

function ends(words: readonly QuestionWord[]): QuestionWord[] {
  return [...words.slice(0, MOST_COMPARED / 2), ...words.slice(-MOST_COMPARED / 2)];
}
