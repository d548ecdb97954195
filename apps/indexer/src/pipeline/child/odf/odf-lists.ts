import { childrenOf, findAll, type MarkupElement } from '../markup/element.js';

const MAX_INDENT = 8;

/** Which levels of which list styles are numbered, and how far each list has counted. */
export class OdfLists {
  private readonly numbered = new Set<string>();
  private readonly counted = new Map<string, number>();

  constructor(roots: readonly (MarkupElement | null)[]) {
    for (const root of roots)
      for (const style of findAll(root ?? undefined, 'text:list-style'))
        for (const level of childrenOf(style, 'text:list-level-style-number'))
          if ((level.attributes['style:num-format'] ?? '1') !== '')
            this.numbered.add(`${style.attributes['style:name']} ${level.attributes['text:level']}`);
  }

  /** The list that begins: its counter goes on where another one of its style ended only when it says so. */
  begin(list: MarkupElement, style: string, level: number): void {
    const goesOn =
      list.attributes['text:continue-numbering'] === 'true' || list.attributes['text:continue-list'] !== undefined;
    if (!goesOn) this.counted.set(`${style} ${level}`, 0);
  }

  /** `- ` or `3. `, behind blanks that show the level (from 1). */
  mark(item: MarkupElement, style: string, level: number): string {
    const key = `${style} ${level}`;
    const next = Number(item.attributes['text:start-value']) || (this.counted.get(key) ?? 0) + 1;
    this.counted.set(key, next);
    return indent(level) + (this.numbered.has(key) ? `${next}. ` : '- ');
  }
}

export function indent(level: number): string {
  return '  '.repeat(Math.min(level - 1, MAX_INDENT));
}
