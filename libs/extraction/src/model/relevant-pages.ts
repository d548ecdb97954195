import { fold } from '@app/common';
import { estimateTokens } from '@app/models';
import type { SourcePage, TableColumn } from '../kit.js';
import type { JudgedRow } from './merge-items.js';

/** Shorter words say nothing about a page. */
const SHORTEST_WORD = 3;
const OF_VALUE = 3;

/**
 * Pages on which columns may yet be found, in their order: all of them where there is room, else those with the most of
 * the columns' words, and of the values that were given without proof.
 */
export function relevantPages(
  pages: readonly SourcePage[],
  columns: readonly TableColumn[],
  first: JudgedRow,
  tokens: number,
): SourcePage[] {
  const sizes = pages.map(({ text }) => estimateTokens(text));
  if (sizes.reduce((sum, size) => sum + size, 0) <= tokens) return [...pages];
  const wanted = columns.flatMap(({ name, instruction }) => wordsOf(`${name} ${instruction}`));
  const values = columns.flatMap(({ name }) => {
    const value = first.get(name)?.value ?? null;
    return typeof value === 'string' || typeof value === 'number' ? wordsOf(String(value)) : [];
  });
  const ranked = pages
    .map((page, at) => ({ page, size: sizes[at]!, rank: rankOf(page.text, wanted, values) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank || a.page.number - b.page.number);
  const chosen: SourcePage[] = [];
  let left = tokens;
  for (const { page, size } of ranked) {
    if (size > left) continue;
    chosen.push(page);
    left -= size;
  }
  return chosen.toSorted((a, b) => a.number - b.number);
}

function rankOf(text: string, wanted: readonly string[], values: readonly string[]): number {
  const here = new Set(wordsOf(text));
  const count = (words: readonly string[]) => new Set(words.filter((word) => here.has(word))).size;
  return count(wanted) + OF_VALUE * count(values);
}

const wordsOf = (text: string) =>
  (fold(text).match(/[\p{L}\p{Nd}]+/gu) ?? []).filter((word) => word.length >= SHORTEST_WORD);
