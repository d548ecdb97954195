import { isOwnAddress, isLoadingTag } from './loading-tags.js';

/** What decides about a piece of markup lies within so many characters; where it does not, the worst is assumed. */
const WINDOW = 2_048;
const MAX_LABELS = 1_000;
const FENCE = /^(`{3,})[^`\r\n]*$|^(~{3,})[^\r\n]*$/;
/** What stands before the text of a line: marks of quotes and lists. */
const NOT_PREFIX = /[^\s>*+\-\d.)]/;
/** The text of a picture, where nothing in it could end it elsewhere: one level of brackets, and no code, tag or escape. */
const PLAIN_TEXT = /^!\[((?:[^[\]`<\\\r\n]|\[[^[\]`<\\\r\n]*\])*)\]/;
const OPEN_TEXT = /^!\[(?:[^[\]`<\\\r\n]|\[[^[\]`<\\\r\n]*\])*(?:\[[^[\]`<\\\r\n]*)?$/;
const LABEL = /^\[((?:[^[\]\\]|\\[^])+)\]/;
const OPEN_LABEL = /^\[(?:[^[\]\\]|\\[^])*\\?$/;

/** What is decided at one place: how many characters are done with, and what stands for them. Null: it takes more text. */
type Decision = { length: number; text: string } | null;

/**
 * Makes of pictures in Markdown that a client would load from foreign hosts by itself plain links, and of tags that do so
 * plain text: what a model was tricked into writing must not carry data out while it is read. Pictures under paths of this
 * deployment stay, and so does code between fences at the margin. Text comes in pieces of any size, and goes on as soon as
 * it is decided; the pieces do not change the result, and filtering twice changes nothing more.
 */
export class PictureFilter {
  private pending = '';
  /** What was told last. */
  private last = '';
  private isLineStart = true;
  /** Only quote marks, list marks and spaces so far on this line. */
  private isPrefix = true;
  private fence: { mark: string; length: number } | null = null;
  /** What looks like a fence is one: nothing before could make a renderer see it otherwise. */
  private trustsFences = true;
  private isFirstLine = true;
  /** Labels that pictures have named, and those that were defined. */
  private readonly shown = new Set<string>();
  private readonly defined = new Set<string>();

  /** @returns what can be told by now */
  push(piece: string): string {
    this.pending += piece;
    return this.scan(false);
  }

  /** @returns the rest. The next piece begins a new text. */
  end(): string {
    return this.scan(true);
  }

  private scan(isEnd: boolean): string {
    let told = '';
    let at = 0;
    while (at < this.pending.length) {
      const decision = this.decide(this.pending.slice(at, at + WINDOW), isEnd || this.pending.length - at >= WINDOW);
      if (!decision) break;
      this.passOver(this.pending.slice(at, at + decision.length));
      told += decision.text;
      this.last = told.at(-1)!;
      at += decision.length;
    }
    this.pending = this.pending.slice(at);
    return told;
  }

  private passOver(text: string): void {
    const last = text.at(-1)!;
    this.isLineStart = last === '\n' || last === '\r';
    if (this.isLineStart) {
      this.isPrefix = true;
      this.isFirstLine = false;
    } else if (NOT_PREFIX.test(text)) this.isPrefix = false;
  }

  private decide(rest: string, isWhole: boolean): Decision {
    if (this.isLineStart) {
      const line = this.decideLine(rest, isWhole);
      if (line !== 'inside') return line;
    }
    if (this.fence) return restOfLine(rest);
    // A backslash does not make them harmless: it may belong to the address before it.
    switch (rest[0]) {
      case '!':
        return this.decideMarks(rest, isWhole);
      case '<':
        return decideTag(rest, isWhole);
      case '[':
        return this.isPrefix ? this.decideDefinition(rest, isWhole) : keep('[');
      default:
        return keep(/^(?:[\r\n]|[^!<[\r\n]+)/.exec(rest)![0]);
    }
  }

  /** Fences, and what makes it uncertain what is one. */
  private decideLine(rest: string, isWhole: boolean): Decision | 'inside' {
    const mark = /^ {0,3}(?:[`~<]|\$\$|$)|^---|^-{0,2}$|^ {0,3}\$$/.exec(rest);
    if (!mark) return 'inside';
    const end = rest.search(/[\r\n]/);
    if (end < 0 && !isWhole) return null;
    const line = end < 0 ? rest : rest.slice(0, end);
    const isTooLong = end < 0 && rest.length >= WINDOW;
    if (this.fence) {
      const closing = /^ {0,3}(`+|~+)[ \t]*$/.exec(line)?.[1] ?? '';
      if (isTooLong) this.trustsFences = false;
      if (isTooLong || (closing[0] === this.fence.mark && closing.length >= this.fence.length)) this.fence = null;
      return line === '' ? 'inside' : keep(line);
    }
    const opening = FENCE.exec(line);
    const sign = opening?.[1] ?? opening?.[2];
    if (sign !== undefined && this.trustsFences && !isTooLong) {
      this.fence = { mark: sign[0]!, length: sign.length };
      return keep(line);
    }
    const isOdd = /^ {0,3}(?:`{3}|~{3}|<[a-z/!?]|\$\$)/i.test(line) || (this.isFirstLine && line.startsWith('---'));
    if (isOdd) this.trustsFences = false;
    return 'inside';
  }

  /** All marks before a picture go with it: the one before would take the place of the last one. */
  private decideMarks(rest: string, isWhole: boolean): Decision {
    const marks = /^!+/.exec(rest)![0];
    const next = rest[marks.length];
    if (next === undefined && !isWhole) return null;
    if (next !== '[') return keep(marks);
    const decision = this.decidePicture(rest.slice(marks.length - 1), isWhole);
    if (!decision) return null;
    if (decision !== withoutMark) return keep(`${marks}[`);
    // Right behind a bracket it would be the reference of what stands in there.
    return { length: marks.length + 1, text: this.last === ']' ? ' [' : '[' };
  }

  private decidePicture(rest: string, isWhole: boolean): Decision {
    const plain = PLAIN_TEXT.exec(rest);
    if (!plain && OPEN_TEXT.test(rest) && !isWhole) return null;
    if (!plain) return this.decideOddPicture(rest, isWhole);
    const [{ length }, label] = plain as unknown as [string, string];
    const next = rest[length];
    if (next === undefined && !isWhole) return null;
    if (next === '[') return withoutMark;
    if (next === '(') {
      const address = addressIn(rest.slice(length));
      if (address === null && !isWhole) return null;
      if (address === null || !isOwnAddress(address)) return withoutMark;
    }
    return this.showByLabel(label);
  }

  /** Its text holds what may end it somewhere else: whatever of its paragraph could be its address is. */
  private decideOddPicture(rest: string, isWhole: boolean): Decision {
    const end = rest.search(/(?:\r\n?|\n)[ \t]*[\r\n]/);
    const paragraph = end < 0 ? rest : rest.slice(0, end);
    if (/\][([]/.test(paragraph)) return withoutMark;
    if (end < 0 && !isWhole) return null;
    return this.showByLabel(LABEL.exec(paragraph.slice(1))?.[1] ?? '');
  }

  private showByLabel(label: string): Decision {
    const name = plainly(label);
    if (this.defined.has(name) || this.shown.size >= MAX_LABELS) return withoutMark;
    if (name !== '') this.shown.add(name);
    return keep('![');
  }

  /** A definition that would make a picture of what was told already becomes text. */
  private decideDefinition(rest: string, isWhole: boolean): Decision {
    const definition = LABEL.exec(rest);
    if (!definition) return OPEN_LABEL.test(rest) && !isWhole ? null : keep('[');
    const next = rest[definition[0].length];
    if (next === undefined && !isWhole) return null;
    if (next !== ':') return keep('[');
    const name = plainly(definition[1]!);
    if (this.shown.has(name) || this.defined.size >= MAX_LABELS) return { length: 1, text: '\\[' };
    this.defined.add(name);
    return keep('[');
  }
}

/** The whole text at once: see `PictureFilter`. */
export function withoutForeignPictures(text: string): string {
  const filter = new PictureFilter();
  return filter.push(text) + filter.end();
}

const withoutMark = { length: 2, text: '[' };

function keep(text: string): Decision {
  return { length: text.length, text };
}

function restOfLine(rest: string): Decision {
  const end = rest.search(/[\r\n]/);
  return keep(end < 0 ? rest : rest.slice(0, end + 1));
}

function decideTag(rest: string, isWhole: boolean): Decision {
  // As browsers read names; what Markdown takes for an address is a tag to them within a block of HTML.
  const name = /^<[a-z][^\s/>]*/i.exec(rest)?.[0];
  if (name === undefined) return rest.length > 1 || isWhole ? keep('<') : null;
  if (name.length === rest.length) return isWhole ? keep('<') : null;
  const tag = /^<(?:[^>"']|"[^"]*"|'[^']*')*>/.exec(rest)?.[0];
  if (tag === undefined && !isWhole) return null;
  return isLoadingTag(name.slice(1), tag ?? rest) ? { length: 1, text: '&lt;' } : keep('<');
}

/** What stands first between the brackets. Null: it does not end here. */
function addressIn(rest: string): string | null {
  const address = rest.replace(/^\([ \t]*(?:\r\n?|\n)?[ \t]*/, '');
  if (/^[\s)]/.test(address)) return '';
  const found = /^(<[^<>\r\n]*>|[^\s<)][^\s)]*)(?=[\s)])/.exec(address)?.[1];
  return found === undefined ? null : found.replace(/^<|>$/g, '');
}

/** As definitions are compared: https://spec.commonmark.org/0.31.2/#matches */
function plainly(label: string): string {
  return label.trim().replaceAll(/\s+/g, ' ').toLowerCase().toUpperCase();
}
