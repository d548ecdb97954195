import { foldCharacter, KIND, type Kind } from './fold-character.js';

/** A text as it is compared: letters and digits, and what matters between digits. Nothing else is there, blanks neither. */
export interface FoldedText {
  codes: Uint16Array;
  /** For each code the offset of the character that it stands for. */
  from: Uint32Array;
}

/** Stretches of a text, in the order in which they are read. `joined`: nothing parts it from the one before. */
export type Stretch = readonly [start: number, end: number, joined?: boolean];

const ZERO = 0x30;
const NINE = 0x39;
const DASH = '-';

export const isDigit = (code: number | undefined): boolean => code !== undefined && code >= ZERO && code <= NINE;

/**
 * Folds a text. Between two digits stands what parts them: a point, a comma, a dash, a blank; nothing else is a number of
 * its own. A dash right before a number is its sign.
 */
export function foldText(text: string, stretches: readonly Stretch[] = [[0, text.length]]): FoldedText {
  const length = stretches.reduce((sum, [start, end]) => sum + end - start, 0);
  const folder = new Folder(length);
  for (const [start, end, joined] of stretches) folder.add(text, start, end, joined);
  return folder.finish();
}

class Folder {
  private codes: Uint16Array;
  private from: Uint32Array;
  private length = 0;
  private lastIsDigit = false;
  /** Since the last code that was kept. */
  private parted = false;
  private blank = false;
  private mark = '';
  /** Where the first of what parts stands. */
  private gap = 0;
  /** A dash that may turn out to be a sign, and where it is. */
  private sign = -1;
  private before: Kind = KIND.blank;

  constructor(length: number) {
    this.codes = new Uint16Array(length + 64);
    this.from = new Uint32Array(length + 64);
  }

  add(text: string, start: number, end: number, joined = false): void {
    if (!joined) this.part(KIND.blank, '', start);
    for (let at = start; at < end;) {
      const code = text.codePointAt(at) ?? 0;
      const size = code > 0xffff ? 2 : 1;
      const { kind, text: folded } = foldCharacter(size === 1 ? (text[at] ?? '') : text.slice(at, at + 2));
      if (kind < KIND.letter) this.part(kind, folded, at);
      else this.keep(kind, folded, at);
      at += size;
    }
  }

  finish(): FoldedText {
    return { codes: this.codes.subarray(0, this.length), from: this.from.subarray(0, this.length) };
  }

  private part(kind: Kind, text: string, at: number): void {
    if (kind === KIND.hidden) return;
    const follows = this.before === KIND.letter || this.before === KIND.digit;
    this.sign = kind === KIND.dash && !follows ? at : -1;
    if (kind === KIND.dash) this.mark = DASH;
    else if (kind === KIND.separator) this.mark ||= text;
    else this.blank = true;
    if (!this.parted) this.gap = at;
    this.parted = true;
    this.before = kind;
  }

  private keep(kind: Kind, folded: string, at: number): void {
    const digit = kind === KIND.digit;
    if (this.sign !== -1 && (digit || kind === KIND.symbol)) this.push(0x2d, this.sign);
    else if (digit && this.lastIsDigit && this.parted) {
      // `1, 2` are two numbers, `1,2` is one; `5 - 10` and `5-10` say the same.
      const mark = this.mark === DASH || !this.blank ? this.mark : '';
      this.push((mark === '' ? ' ' : mark).charCodeAt(0), this.gap);
    }
    for (let index = 0; index < folded.length; index += 1) this.push(folded.charCodeAt(index), at);
    this.lastIsDigit = digit;
    this.parted = false;
    this.blank = false;
    this.mark = '';
    this.sign = -1;
    this.before = kind;
  }

  private push(code: number, at: number): void {
    if (this.length === this.codes.length) {
      const [codes, from] = [this.codes, this.from];
      this.codes = new Uint16Array(codes.length * 2);
      this.from = new Uint32Array(from.length * 2);
      this.codes.set(codes);
      this.from.set(from);
    }
    this.codes[this.length] = code;
    this.from[this.length] = at;
    this.length += 1;
  }
}
