import { paragraph, type Block } from './blocks.js';

/**
 * One paragraph while it is read: its words, and what hangs on it. Footnotes follow it; so do boxes that are anchored in
 * it. It stands on the page on which its words begin.
 */
export class InlineText {
  text = '';
  readonly notes: string[] = [];
  readonly behind: Block[] = [];
  private breaksBefore = 0;
  private breaksAfter = 0;

  breakPage(): void {
    if (this.text.trim() === '') this.breaksBefore += 1;
    else this.breaksAfter += 1;
  }

  /** @param made turns the words into a block, for instance the point of a list */
  toBlocks(made: (text: string) => Block[] = paragraph): Block[] {
    const words = [this.text, ...this.notes.map((note) => `(${note})`)].filter((part) => part.trim() !== '');
    return [
      ...pageBreaks(this.breaksBefore),
      ...made(words.join('\n')),
      ...this.behind,
      ...pageBreaks(this.breaksAfter),
    ];
  }
}

const EXPONENT = /^\s*[-+−]?\d{1,3}\s*$/;

/** Whether a raised number stands behind a number: its exponent, or the mark of a note. Nobody is to take the two for one. */
export function isExponent(before: string, raised: string): boolean {
  return /\d\s*$/.test(before) && EXPONENT.test(raised);
}

/** What stands behind it raised above the line: 10<sup>6</sup> is no 106. */
export function withRaised(before: string, raised: string): string {
  return isExponent(before, raised) ? `${before.trimEnd()}^${raised.trim()}` : before + raised;
}

function pageBreaks(count: number): Block[] {
  return Array.from({ length: count }, () => ({ kind: 'page' }));
}
