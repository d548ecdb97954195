import {
  BARE_TAG,
  HARMFUL,
  KNOWN_NAMES,
  isAutolink,
  OWN_PICTURE,
  pictureAt,
  readFence,
  type Fence,
} from './picture-syntax.js';

/** A construct that is longer is taken apart as if it ended here. */
const LONGEST = 2_000;
const OWN_DEFINITION = /^[ \t]*<?\/media\/[\w\-./%~?=&]*>?[ \t]*(?:[\r\n]|$)/;
/** They begin and end nothing. */
const ORDINARY = /[^\s!-\-<>[\]\\`]+/y;
const NEWLINE = /[\r\n]/;
const BLANK_LINE = /(?:\r\n|\r|\n)[ \t]*(?:\r|\n)/;
/** Of containers (quotes, lists) at the beginning of a line. */
const PREFIX = /^[ \t]*(?:(?:[>*+-]|\d{1,9}[.)])[ \t]+|>)*[ \t]*(?:[>*+-]|\d{1,9}[.)]?|\[)?$/;

/**
 * Takes pictures of other hosts out of Markdown while it is written: a browser that shows them would send whatever
 * stands in their addresses there. A picture becomes a link that names its host, raw HTML with attributes becomes text,
 * a picture by reference stays text where its definition is somebody's. Code stays as it is, where it is code for
 * certain: wherever renderers could see it otherwise, it is treated as prose. What comes out does not depend on how the
 * text was cut into pieces.
 */
export class PictureFilter {
  private held = '';
  private out = '';
  private isAtLineStart = true;
  /** The beginning of this line is text of a container, or nothing. */
  private isPrefixOnly = true;
  private isPreviousBlank = true;
  private isLineBlank = true;
  private lineWasCode = false;
  private isCodeLine = false;
  private fence: Fence | null = null;
  private hasLists = false;
  private hasReferences = false;
  private hasDefinitions = false;
  /** Up to the next blank line: backquotes do not mark code for certain. */
  private isMurky = false;
  private isInHtml = false;
  /** For good. */
  private isDistrusted = false;
  /** This line began with something like a definition. */
  private hasLabel = false;
  /** What was held back had to be told: what comes next may complete it. */
  private isSeam = false;
  private isLinkOpen = false;
  private last = '';
  /** What was told ends with one that makes a picture of a bracket. */
  private isBang = false;
  /** Of the word that is being told: its end, whether it may be an address, and whether there is a mark of code in it. */
  private tail = '';
  private isAddress = false;
  private hasMark = false;
  private slashes = 0;

  /** What can be told by now. */
  push(piece: string): string {
    return this.run(piece, false);
  }

  /** All that was held back; more may follow. */
  settle(): string {
    return this.run('', true);
  }

  private run(piece: string, isEnd: boolean): string {
    this.held += piece;
    this.out = '';
    let at = 0;
    // Cut rarely: to cut at each character takes quadratic time.
    while (at < this.held.length) {
      const taken = this.step(at, isEnd);
      if (taken === 0) break;
      at += taken;
    }
    this.held = this.held.slice(at);
    if (isEnd) this.sew();
    return this.out;
  }

  /** What follows may change what the last line is: it is not taken for code. */
  private sew(): void {
    this.isSeam = true;
    if (this.isAtLineStart) return;
    const isBlock = this.fence !== null || this.isCodeLine || this.isPrefixOnly || this.hasMark;
    if (!isBlock) return;
    this.isDistrusted = true;
    this.fence = null;
    this.isCodeLine = false;
  }

  /** @returns how many characters are dealt with; 0: what follows is needed first. */
  private step(at: number, isEnd: boolean): number {
    const char = this.held[at]!;
    if (this.isSeam) {
      this.isSeam = false;
      if (this.last === ']' && '([:'.includes(char)) this.pass('\\');
    }
    if (char === '\r' || char === '\n') return this.endLine(char);
    if (this.isAtLineStart) {
      const taken = this.beginLine(at, isEnd);
      if (taken !== null) return taken;
    }
    if (this.fence || this.isCodeLine) return this.pass(this.lineRest(at));
    switch (char) {
      case '!':
        return this.bang(at, isEnd);
      case '[':
        return this.bracket(at, isEnd);
      case '<':
        return this.angle(at, isEnd);
      case '`':
        return this.backquotes(at, isEnd);
      default: {
        ORDINARY.lastIndex = at;
        const run = ORDINARY.exec(this.held)?.[0];
        return run ? this.pass(run) : this.plain(char);
      }
    }
  }

  private endLine(char: string): number {
    const isSecond = char === '\n' && this.last === '\r';
    if (!isSecond) {
      if (this.isLineBlank) {
        this.isMurky = false;
        this.isInHtml = false;
        this.isLinkOpen = false;
      }
      this.isPreviousBlank = this.isLineBlank;
      this.lineWasCode = this.isCodeLine;
    }
    this.isAtLineStart = true;
    this.isPrefixOnly = true;
    this.isLineBlank = true;
    this.isCodeLine = false;
    this.hasLabel = false;
    return this.pass(char);
  }

  /** Null where the line holds no block of code: it is read character by character. */
  private beginLine(at: number, isEnd: boolean): number | null {
    const end = this.held.slice(at, at + LONGEST).search(NEWLINE);
    const isWhole = end >= 0 || isEnd || this.held.length - at >= LONGEST;
    const line = this.held.slice(at, end >= 0 ? at + end : at + LONGEST);
    // Spaces, marks of containers and the first mark after them say what the line is.
    if (!isWhole && (this.fence !== null || PREFIX.test(line) || /^[\s>*+\-\d.)]*[`~]/.test(line))) return 0;
    this.isAtLineStart = false;
    if (line.trim() !== '') this.isLineBlank = false;
    if (this.fence) return this.goOnInFence(this.fence, line);
    const mark = readFence(line);
    if (mark) {
      const isSure = mark.isPlain && !this.isDistrusted && !this.isInHtml && line.length < LONGEST;
      if (isSure) {
        this.fence = mark;
        return this.pass(line);
      }
      this.isDistrusted = true;
      return null;
    }
    const isIndented = /^(?: {4}|\t)/.test(line) && line.trim() !== '';
    const isAfterBlank = this.isPreviousBlank || this.lineWasCode;
    if (isIndented && isAfterBlank && !this.hasLists && !this.isDistrusted) {
      this.isCodeLine = true;
      return this.pass(line);
    }
    if (/^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])(?:[ \t]|$)|\[\^|:)/.test(line)) this.hasLists = true;
    return null;
  }

  private goOnInFence(fence: Fence, line: string): number | null {
    const indent = /^[ \t]*/.exec(line)![0];
    const text = line.trim();
    const isMark = text.length >= fence.length && text === fence.mark.repeat(text.length);
    // Inside a list its end, and where it closes, depend on more than is known here.
    const isList = this.hasLists && fence.indent > 0;
    const isOdd = text !== '' && (indent.length < fence.indent || (isMark && indent.length !== fence.indent));
    if (isList && (isOdd || indent.includes('\t'))) {
      this.fence = null;
      this.isDistrusted = true;
      return null;
    }
    if (isMark && indent.length <= 3 && !indent.includes('\t')) this.fence = null;
    // The last line of the fence is code, too.
    this.isCodeLine = true;
    return this.pass(line);
  }

  private lineRest(at: number): string {
    const end = this.held.slice(at).search(NEWLINE);
    return end < 0 ? this.held.slice(at) : this.held.slice(at, at + end);
  }

  private bang(at: number, isEnd: boolean): number {
    if (at + 1 >= this.held.length && !isEnd) return 0;
    if (this.held[at + 1] !== '[' || this.isEscaped()) return this.plain('!');
    const found = pictureAt(this.region(at), this.endOfRegion(at, isEnd));
    switch (found.kind) {
      case 'unfinished':
        return 0;
      case 'none':
        this.plain('!');
        return this.pass('[') + 1;
      case 'inline':
        if (OWN_PICTURE.test(found.address)) this.pass(found.text);
        // Behind another mark it would be a picture again.
        else this.pass(this.isBang && found.asLink.startsWith('[') ? `\\${found.asLink}` : found.asLink);
        return found.text.length;
      case 'reference':
        if (!this.hasDefinitions) {
          this.hasReferences = true;
          this.pass('![');
          return 2;
        }
    }
    this.pass('\\![');
    return 2;
  }

  /** Where a definition begins, pictures may have been told that would be shown by it. */
  private bracket(at: number, isEnd: boolean): number {
    // The mark before it was told before this was there.
    if (this.isBang) {
      this.pass('\\[');
      return 1;
    }
    if (this.isEscaped()) return this.plain('[');
    const region = this.region(at);
    const ended = this.endOfRegion(at, isEnd);
    const length = /^\[(?:[^[\]\\]|\\[^])*/.exec(region)![0].length;
    const [next, after] = region.slice(length);
    const isCut = next === undefined || (next === ']' && after === undefined) || (next === '\\' && after === undefined);
    if (isCut && ended === null) return 0;
    const isDefinition = next === ']' && after === ':' && (this.isPrefixOnly || this.hasLabel);
    if (!isDefinition && !(isCut && ended === 'cut')) return this.plain('[');
    this.hasLabel = true;
    const rest = region.slice(length + 2);
    if (isDefinition && ended === null && !NEWLINE.test(rest)) return 0;
    if (isDefinition && OWN_DEFINITION.test(rest)) return this.plain('[');
    this.hasDefinitions = true;
    if (!this.hasReferences) return this.plain('[');
    this.pass('\\[');
    return 1;
  }

  private angle(at: number, isEnd: boolean): number {
    // In raw HTML a backslash escapes nothing.
    if (this.isEscaped() && !this.isInHtml) return this.plain('<');
    const next = this.held[at + 1];
    if (next === undefined) return isEnd ? this.escapeTag() : 0;
    if (!/[a-zA-Z/!?]/.test(next)) return this.plain('<');
    const region = this.region(at);
    const end = region.indexOf('>');
    if (end < 0) {
      const ended = this.endOfRegion(at, isEnd);
      if (ended === null) return 0;
      const name = /^<\/?([a-zA-Z][a-zA-Z0-9-]*)/.exec(region)?.[1]?.toLowerCase();
      const isProse = name !== undefined && !KNOWN_NAMES.has(name) && ended === 'paragraph';
      return isProse ? this.plain('<') : this.escapeTag();
    }
    const tag = region.slice(0, end + 1);
    // Within raw HTML it would be a tag, with what it holds as attributes.
    if (isAutolink(tag) && !this.isInHtml) return this.pass(tag);
    const bare = BARE_TAG.exec(tag)?.[1]?.toLowerCase();
    if (bare === undefined || HARMFUL.has(bare)) return this.escapeTag();
    if (this.isPrefixOnly) {
      this.isInHtml = true;
      this.isMurky = true;
    }
    this.isPrefixOnly = false;
    return this.pass(tag);
  }

  private escapeTag(): number {
    this.isPrefixOnly = false;
    this.pass('&lt;');
    return 1;
  }

  private backquotes(at: number, isEnd: boolean): number {
    const region = this.lineRest(at).slice(0, LONGEST);
    const isWhole = isEnd || region.length === LONGEST || at + region.length < this.held.length;
    const run = /^`+/.exec(region)![0];
    if (!isWhole && run.length === region.length) return 0;
    const isOddPlace = this.isEscaped() || this.isLinkOpen || this.isDistrusted || this.isAddress;
    if (isOddPlace) this.isMurky = true;
    if (!this.isMurky) {
      const close = new RegExp(`(?<!\`)${run}(?!\`)`).exec(region.slice(run.length));
      const span = close && region.slice(0, run.length + close.index + run.length);
      if (!isWhole && (!span || span.length === region.length)) return 0;
      // Cells of a table end before code does.
      if (span && !span.includes('|')) return this.pass(span);
      this.isMurky = true;
    }
    return this.pass(run);
  }

  private plain(char: string): number {
    if (this.isLinkOpen) {
      if (char === ')') this.isLinkOpen = false;
      else if (/[\s"'(\\]/.test(char)) this.isMurky = true;
    }
    if (char === '(' && this.last === ']') this.isLinkOpen = true;
    return this.pass(char);
  }

  /** Tells it as it is. */
  private pass(text: string): number {
    if (text === '') return 0;
    this.out += text;
    this.isBang = text === '!' ? !this.isEscaped() : /(?<!\\)(?:\\\\)*!$/.test(text.slice(-9));
    const slashes = /\\*$/.exec(text)![0].length;
    this.slashes = slashes === text.length ? this.slashes + slashes : slashes;
    const begin = text.search(/\S*$/);
    if (begin > 0 || text.trim() === '') {
      this.isAddress = false;
      this.hasMark = false;
      this.tail = '';
    }
    const word = this.tail + text.slice(begin);
    this.isAddress ||= /www\.|:\/|@/i.test(word);
    this.hasMark ||= /[`~]/.test(word);
    this.tail = word.slice(-4);
    if (!/^[\s>*+\-\d.):]*$/.test(text)) this.isPrefixOnly = false;
    this.last = text.at(-1)!;
    return text.length;
  }

  private isEscaped(): boolean {
    return this.slashes % 2 === 1;
  }

  /** What a construct that begins here may take: up to the next blank line. */
  private region(at: number): string {
    const text = this.held.slice(at, at + LONGEST);
    const end = BLANK_LINE.exec(text)?.index ?? text.length;
    return text.slice(0, end);
  }

  /** How the region ends: with its paragraph, before that, or it is not all there yet. */
  private endOfRegion(at: number, isEnd: boolean): 'paragraph' | 'cut' | null {
    const text = this.held.slice(at, at + LONGEST);
    if (BLANK_LINE.test(text)) return 'paragraph';
    return isEnd || text.length === LONGEST ? 'cut' : null;
  }
}

/** The same of a text that is there as a whole. */
export function withoutForeignPictures(text: string): string {
  const filter = new PictureFilter();
  return filter.push(text) + filter.settle();
}
