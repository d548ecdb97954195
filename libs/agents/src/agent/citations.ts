import { cutText } from '@app/common';
import type { AgentSource, FoundSource } from './tool.js';

const SHOWN_TEXT = 1_000;

/** What was numbered in earlier turns of the conversation. */
export interface EarlierSources {
  sources: readonly AgentSource[];
  /** The highest number that was given, also where its source is not known any more. */
  last: number;
}

export const NO_EARLIER_SOURCES: EarlierSources = { sources: [], last: 0 };

/**
 * Numbers what an answer can cite, on over the whole conversation: a number never means two things. `sources` is the list
 * that it writes to.
 */
export class Citations {
  constructor(
    private readonly sources: AgentSource[],
    private readonly earlier: EarlierSources = NO_EARLIER_SOURCES,
  ) {}

  /** From 1; what was found before keeps its number. */
  cite(found: FoundSource): number {
    const text = cutText(found.text, SHOWN_TEXT);
    const known = [this.sources, this.earlier.sources]
      .flat()
      .find((source) => source.uid === found.uid && source.page === found.page && source.text === text);
    if (known) return known.citation;
    const citation = Math.max(this.earlier.last, ...this.sources.map((source) => source.citation)) + 1;
    this.sources.push({ ...found, text, citation });
    return citation;
  }
}

const CITATION = /\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\](?!\()/g;

/** Those that the answer names, like `[2]` or `[1, 3]`. */
export function citedSources(answer: string, sources: readonly AgentSource[]): AgentSource[] {
  const numbers = new Set<number>();
  for (const [, list] of answer.matchAll(CITATION))
    for (const number of list!.split(/[,;]/)) numbers.add(Number(number));
  return sources.filter(({ citation }) => numbers.has(citation));
}

/** An answer whose numbers meant the sources of its own turn alone, for prompts of later ones. */
export function withoutCitations(answer: string): string {
  return answer.replaceAll(new RegExp(` ?${CITATION.source}`, 'g'), '');
}
