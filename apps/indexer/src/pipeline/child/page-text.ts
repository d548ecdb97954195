import type { TextLine } from '../extracted-page.js';
import { normaliseLine } from './normalise.js';

/** Builds the text of a page line by line, so that every line's offsets fit the normalised text. */
export class PageText {
  readonly lines: TextLine[] = [];
  private readonly parts: string[] = [];
  private length = 0;
  private paragraphEnded = false;

  get text(): string {
    return this.parts.join('');
  }

  /**
   * @param join the line before ended within a word (a hyphen at its end was dropped)
   */
  addLine(raw: string, rect: TextLine['rect'], join = false): void {
    const line = normaliseLine(raw);
    if (line === '') return;
    if (this.length > 0 && !join) this.push(this.paragraphEnded ? '\n\n' : '\n');
    this.paragraphEnded = false;
    const start = this.length;
    this.push(line);
    this.lines.push({ start, end: this.length, rect });
  }

  /** Leaves a blank line before what follows. */
  endParagraph(): void {
    this.paragraphEnded = true;
  }

  private push(text: string): void {
    this.parts.push(text);
    this.length += text.length;
  }
}
