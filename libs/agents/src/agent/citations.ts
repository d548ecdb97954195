import type { AgentSource, FoundSource } from './tool.js';

const SHOWN_TEXT = 1_000;

/** Numbers what an answer can cite. `sources` is the list that it writes to. */
export class Citations {
  constructor(private readonly sources: AgentSource[]) {}

  /** From 1; what was found before keeps its number. */
  cite(found: FoundSource): number {
    const text = found.text.slice(0, SHOWN_TEXT);
    const known = this.sources.find(
      (source) => source.uid === found.uid && source.page === found.page && source.text === text,
    );
    if (known) return known.citation;
    const citation = this.sources.length + 1;
    this.sources.push({ ...found, text, citation });
    return citation;
  }
}

/** Those that the answer names, like `[2]` or `[1, 3]`. */
export function citedSources(answer: string, sources: readonly AgentSource[]): AgentSource[] {
  const numbers = new Set<number>();
  for (const [, list] of answer.matchAll(/\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\](?!\()/g))
    for (const number of list!.split(/[,;]/)) numbers.add(Number(number));
  return sources.filter(({ citation }) => numbers.has(citation));
}
