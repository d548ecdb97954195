import type { SourceWord } from '@app/extraction/kit';
import type { TextLine } from '../extracted-page.js';
import { normaliseLine } from './normalise.js';

/** A word as its source gives it, and its rectangle on the page as displayed. */
export interface RawWord {
  text: string;
  rect: SourceWord['rect'];
}

/** How far apart two words may be found: what a source has between them that the line has not. */
const REACH = 64;
/** What we put between the cells of a row. */
const BETWEEN = /[ |]*/y;

/** Builds the text of a page line by line, so that every line's offsets fit the normalised text. */
export class PageText {
  readonly lines: TextLine[] = [];
  /** Of the lines that came with theirs. */
  readonly words: SourceWord[] = [];
  private readonly parts: string[] = [];
  private length = 0;
  private paragraphEnded = false;

  get text(): string {
    return this.parts.join('');
  }

  /**
   * @param join the line before ended within a word (a hyphen at its end was dropped)
   * @param words of the line, in its order
   */
  addLine(raw: string, rect: TextLine['rect'], join = false, words: readonly RawWord[] = []): void {
    const line = normaliseLine(raw);
    if (line === '') return;
    if (this.length > 0 && !join) this.push(this.paragraphEnded ? '\n\n' : '\n');
    this.paragraphEnded = false;
    const start = this.length;
    this.push(line);
    this.lines.push({ start, end: this.length, rect });
    this.addWords(line, start, words);
  }

  /** Leaves a blank line before what follows. */
  endParagraph(): void {
    this.paragraphEnded = true;
  }

  private addWords(line: string, start: number, words: readonly RawWord[]): void {
    let at = 0;
    for (const { text, rect } of words) {
      // A letter may turn into two with a blank between them.
      for (const word of normaliseLine(text).split(' ')) {
        const found = word === '' ? -1 : findFrom(line, word, at);
        if (found === -1) continue;
        at = found + word.length;
        // What was cut off the page shows nowhere.
        if (rect[2] > rect[0] && rect[3] > rect[1]) this.words.push({ start: start + found, end: start + at, rect });
      }
    }
  }

  private push(text: string): void {
    this.parts.push(text);
    this.length += text.length;
  }
}

/** The next place of a word, close by: lines may be long, and words be missing from them. */
function findFrom(line: string, word: string, from: number): number {
  if (line.startsWith(word, from)) return from;
  BETWEEN.lastIndex = from;
  BETWEEN.test(line);
  if (line.startsWith(word, BETWEEN.lastIndex)) return BETWEEN.lastIndex;
  const near = line.slice(from, from + REACH + word.length).indexOf(word);
  return near === -1 ? -1 : from + near;
}
