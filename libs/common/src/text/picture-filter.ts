import { InlineCode } from './inline-code.js';
import { isOwnAddress, isLoadingTag } from './loading-tags.js';

/** What decides about a piece of markup lies within so many characters; where it does not, the worst is assumed. */
const WINDOW = 2_048;
const MAX_LABELS = 1_000;
/** With what stands before it: nothing, up to three spaces, or the mark of a list. */
const FENCE = /^( {0,3}(?:(?:[-*+]|1[.)]) {1,4})?)(?:(`{3,})[^`\r\n]*|(~{3,})[^\r\n]*)$/;
/** What stands before the text of a line: marks of quotes and lists. */
const NOT_PREFIX = /[^\s>*+\-\d.)]/;
/** The text of a picture, where nothing in it could end it elsewhere: one level of brackets, and no code, tag or escape. */
const PLAIN_TEXT = /^!\[((?:[^[\]`<\\\r\n]|\[[^[\]`<\\\r\n]*\])*)\]/;
const OPEN_TEXT = /^!\[(?:[^[\]`<\\\r\n]|\[[^[\]`<\\\r\n]*\])*(?:\[[^[\]`<\\\r\n]*)?$/;
/** Behind its name a footnote begins like a line. */
const FOOTNOTE = /^\[\^[^\]]*\]:/;
const LABEL = /^\[((?:[^[\]\\]|\\[^])+)\]/;
const OPEN_LABEL = /^\[(?:[^[\]\\]|\\[^])*\\?$/;

/** What is decided at one place: how many characters are done with, and what stands for them. Null: it takes more text. */
type Decision = { length: number; text: string; isCertain?: boolean } | null;

/**
 * Makes of pictures in Markdown that a client would load from foreign hosts by itself plain links, and of tags that do so
 * plain text: what a model was tricked into writing must not carry data out while it is read. Pictures under paths of this
 * deployment stay, and so does code where every renderer sees code: between fences at the margin or in a list, and between
 * backticks in a plain paragraph. Text comes in pieces of any size, and goes on as soon as
 * it is decided; the pieces do not change the result, and filtering twice changes nothing more.
 */
export class PictureFilter {
  private pending = '';
  /** What was told last. */
  private last = '';
  private isLineStart = true;
  /** Only quote marks, list marks and spaces so far on this line. */
  private isPrefix = true;
  private fence: { mark: string; length: number; indent: number } | null = null;
  private readonly code = new InlineCode();
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
      this.passOver(this.pending.slice(at, at + decision.length), decision.isCertain ?? false);
      told += decision.text;
      this.last = told.at(-1)!;
      at += decision.length;
    }
    this.pending = this.pending.slice(at);
    return told;
  }

  private passOver(text: string, isCertain: boolean): void {
    this.code.passOver(text, isCertain || this.fence !== null);
    const last = text.at(-1)!;
    this.isLineStart = last === '\n' || last === '\r';
    if (this.isLineStart) {
      this.isPrefix = true;
      this.isFirstLine = false;
    } else if (NOT_PREFIX.test(text.replace(FOOTNOTE, ''))) this.isPrefix = false;
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
        if (/^<[a-z/!?]/i.test(rest)) this.code.distrust();
        return decideTag(rest, isWhole);
      case '[':
        return this.decideBracket(rest, isWhole);
      case '`':
        return this.decideBackticks(rest, isWhole);
      default:
        return keep(/^(?:[\r\n]|[^!<[`\r\n]+)/.exec(rest)![0]);
    }
  }

  private decideBackticks(rest: string, isWhole: boolean): Decision {
    const length = this.code.codeAt(rest, isWhole);
    if (length === null) return null;
    return length === 0 ? keep(/^`+/.exec(rest)![0]) : { ...keep(rest.slice(0, length))!, isCertain: true };
  }

  private decideBracket(rest: string, isWhole: boolean): Decision {
    const definition = this.isPrefix ? this.decideDefinition(rest, isWhole) : keep('[');
    if (definition?.text !== '[') return definition;
    const length = this.code.linkAt(rest, isWhole);
    if (length === null) return null;
    return length === 0 ? definition : { ...keep(rest.slice(0, length))!, isCertain: true };
  }

  /** Fences, and what makes it uncertain what is one. */
  private decideLine(rest: string, isWhole: boolean): Decision | 'inside' {
    if (this.fence && this.fence.indent > 0) return this.decideIndented(rest, isWhole, this.fence);
    const mark =
      /^ {0,3}(?:[`~<]|\$\$|$)|^---|^-{0,2}$|^ {0,3}\$$|^ {0,3}(?:[-*+]|1[.)]?)(?: {1,4}[`~]| {0,4}$)|^ {0,3}1$/.exec(
        rest,
      );
    if (!mark) return 'inside';
    const end = rest.search(/[\r\n]/);
    if (end < 0 && !isWhole) return null;
    const line = end < 0 ? rest : rest.slice(0, end);
    const isTooLong = end < 0 && rest.length >= WINDOW;
    if (this.fence) {
      const closing = /^ {0,3}(`+|~+)[ \t]*$/.exec(line)?.[1] ?? '';
      if (isTooLong) this.trustsFences = false;
      if (isTooLong || (closing[0] === this.fence.mark && closing.length >= this.fence.length)) this.fence = null;
      return line === '' ? 'inside' : { ...keep(line)!, isCertain: true };
    }
    const [, before = '', backticks, tildes] = FENCE.exec(line) ?? [];
    const sign = backticks ?? tildes;
    const isTrusted = this.trustsFences && (before === '' || this.code.isTrusted);
    if (sign !== undefined && isTrusted && !isTooLong) {
      this.fence = { mark: sign[0]!, length: sign.length, indent: before.length };
      return keep(line);
    }
    const isOdd = /^ {0,3}(?:`{3}|~{3}|<[a-z/!?]|\$\$)/i.test(line) || (this.isFirstLine && line.startsWith('---'));
    if (isOdd) this.trustsFences = false;
    return 'inside';
  }

  /**
   * A line of code that is indented, as in a list. One that is not, or a fence that ends it in another place, ends it for
   * some renderers and not for others: from then on nothing that looks like a fence is one.
   */
  private decideIndented(
    rest: string,
    isWhole: boolean,
    { mark, length, indent }: { mark: string; length: number; indent: number },
  ): Decision | 'inside' {
    const end = rest.search(/[\r\n]/);
    if (end < 0 && !isWhole) return null;
    const line = end < 0 ? rest : rest.slice(0, end);
    if (/^ *$/.test(line)) return line === '' ? 'inside' : keep(line);
    const [, spaces = '', signs = ''] = /^( *)(`+|~+)?[ \t]*$/.exec(line) ?? /^( *)/.exec(line)!;
    const isClosing = signs[0] === mark && signs.length >= length;
    const isTooLong = end < 0 && rest.length >= WINDOW;
    if (isTooLong || spaces.length < indent || (isClosing && spaces.length !== indent)) {
      this.trustsFences = false;
      this.fence = null;
      return 'inside';
    }
    if (isClosing) this.fence = null;
    return { ...keep(line)!, isCertain: true };
  }

  /** All marks before a picture go with it: the one before would take the place of the last one. */
  private decideMarks(rest: string, isWhole: boolean): Decision {
    const marks = /^!+/.exec(rest)![0];
    const next = rest[marks.length];
    if (next === undefined && !isWhole) return null;
    if (next !== '[') return keep(marks);
    const sign = rest[marks.length + 1];
    if (sign === undefined && !isWhole) return null;
    // A footnote behind an exclamation, and a picture to those who know no footnotes.
    if (sign === '^') return { length: marks.length + 1, text: `${marks} [` };
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
    if (definition[1]!.startsWith('^')) return keep(`${definition[0]}:`);
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
