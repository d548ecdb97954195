import { setImmediate } from 'node:timers/promises';
import { fold } from '@app/common';
import { analyse } from '@app/retrieval';
import { passagesOf, type ResultPassage } from './result-passages.js';
import type { ResultValue } from './result-value.js';

/** Others work on this thread too. */
const AT_ONCE = 200;
/** BM25. */
const [K1, B] = [1.2, 0.5];

export interface ResultHit extends ResultPassage {
  score: number;
}

/** The passages that have words of the query, best first: rare words count most, the exact words in their order more. */
export async function searchResult(value: ResultValue, query: string, signal?: AbortSignal): Promise<ResultHit[]> {
  const passages = passagesOf(value);
  const wanted = [...new Set(analyse(query))];
  const phrase = fold(query).trim();
  if (wanted.length === 0)
    return passages.flatMap((one) => (fold(one.text).includes(phrase) ? [{ ...one, score: 1 }] : []));
  const counted: { passage: ResultPassage; counts: Map<string, number>; length: number }[] = [];
  const having = new Map<string, number>();
  let total = 0;
  for (const [at, passage] of passages.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) {
      signal?.throwIfAborted();
      await setImmediate();
    }
    const terms = analyse(passage.text);
    total += terms.length;
    const counts = new Map<string, number>();
    for (const term of terms) if (wanted.includes(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    if (counts.size === 0) continue;
    for (const term of counts.keys()) having.set(term, (having.get(term) ?? 0) + 1);
    counted.push({ passage, counts, length: terms.length });
  }
  const average = Math.max(1, total / Math.max(1, passages.length));
  const weightOf = (term: string) => Math.log(1 + (passages.length + 0.5) / ((having.get(term) ?? 0) + 0.5));
  return counted
    .map(({ passage, counts, length }) => {
      const around = K1 * (1 - B + (B * length) / average);
      const words = [...counts].reduce((sum, [term, n]) => sum + (weightOf(term) * n * (K1 + 1)) / (n + around), 0);
      const isExact = phrase.length > 3 && fold(passage.text).includes(phrase);
      return { ...passage, score: words * (isExact ? 2 : 1) };
    })
    .sort((a, b) => b.score - a.score);
}
