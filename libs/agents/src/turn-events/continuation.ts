import { UNSPACED_SCRIPTS } from '@app/common';
import type { ModelMessage } from '@app/integrations';

/** Words that a model is shown, and asked to repeat, so that the seam can be found. */
const SHOWN_WORDS = 12;
/** A shorter overlap counts only when it is made of whole words. */
const SURE_OVERLAP = 12;
/** So much alike at the beginning, and then another wording: the model has begun anew. */
const BEGUN_ANEW = 30;
/** Of the end of what was told, by which the place is found in an answer that was begun anew. */
const ANCHOR = 24;

const WORD = /[\p{L}\p{M}\p{N}_]/u;
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');

/**
 * What is added to the messages of a call whose answer was cut off after `told`. Most models go on from here by
 * repeating some words, or begin anew: `continueText` takes care of either.
 * @param told is not empty
 */
export function continuationMessages(told: string): ModelMessage[] {
  const words = told.trim().split(/\s+/).slice(-SHOWN_WORDS).join(' ');
  return [
    { role: 'assistant', content: told },
    {
      role: 'user',
      content:
        'Your answer was cut off by a fault of the connection. Go on with it: begin by repeating its last words, ' +
        `${JSON.stringify(words)}, exactly, and then write what comes after them. Do not begin anew and do not mention the fault.`,
    },
  ];
}

/**
 * Of a new stream, only what comes after `told`: text that was told is never taken back. The stream may begin the same
 * answer anew (in the same words, or after a while in others), go on after it, or repeat some of its last words first.
 * Pieces are held back only while they may still be a repetition.
 */
export async function* continueText(told: string, pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  const continuation = new Continuation(told);
  for await (const piece of pieces) {
    const text = continuation.push(piece);
    if (text !== '') yield text;
  }
  const rest = continuation.end();
  if (rest !== '') yield rest;
}

/** The same for text that is pushed: `push` and `end` give what is to be told. */
export class Continuation {
  private held = '';
  private mode: 'aligning' | 'anew' | 'passing';

  constructor(private readonly told: string) {
    this.mode = told === '' ? 'passing' : 'aligning';
  }

  push(piece: string): string {
    if (this.mode === 'passing') return piece;
    this.held += piece;
    return this.mode === 'anew' ? this.findPlace(false) : this.align(false);
  }

  end(): string {
    if (this.mode === 'passing') return '';
    return this.mode === 'anew' ? this.findPlace(true) : this.align(true);
  }

  private align(ended: boolean): string {
    const { told } = this;
    // Models begin their answers without the space that would follow.
    const text = this.held.trimStart();
    if (text === '' && !ended) return '';
    if (!ended && repeatsWithin(told, text)) return '';
    if (ended && told.startsWith(text)) return this.pass('');
    const overlap = overlapOf(told, text);
    if (overlap > 0) return this.passAfter(text.slice(overlap), ended);
    if (commonStart(told, text) >= Math.min(BEGUN_ANEW, told.length)) {
      this.mode = 'anew';
      return this.findPlace(ended);
    }
    return this.pass(joined(told, this.held));
  }

  /** An answer in other words: after the end of what was told if that occurs, otherwise from where it gets longer. */
  private findPlace(ended: boolean): string {
    const { told, held } = this;
    const anchor = told.trimEnd().slice(-ANCHOR);
    const at = anchor.length === ANCHOR ? held.indexOf(anchor) : -1;
    if (at >= 0) return this.passAfter(held.slice(at + ANCHOR), ended);
    if (!ended && held.length < told.length * 1.25 + ANCHOR) return '';
    const sentence = /[.!?。؟…]["')\]»”]*\s|\n/u.exec(held.slice(told.length));
    const rest = sentence ? held.slice(told.length + sentence.index + sentence[0].length).trimStart() : '';
    if (rest === '' && !ended) return '';
    return this.pass(rest === '' ? '' : `${/\s$/.test(told) ? '' : /[.!?。؟…]$/u.test(told) ? ' ' : '… '}${rest}`);
  }

  /** The spaces that `told` ends with were told: they are not told again. */
  private passAfter(rest: string, ended: boolean): string {
    const [spaces] = /\s*$/.exec(this.told)!;
    if (spaces === '') return this.pass(rest);
    if (rest.trim() === '' && !ended) return '';
    return this.pass(rest.startsWith(spaces) ? rest.slice(spaces.length) : rest.trimStart());
  }

  private pass(text: string): string {
    this.mode = 'passing';
    this.held = '';
    return text;
  }
}

/** Whether `text` is a part of `told` that goes on: what comes next may still repeat it. */
function repeatsWithin(told: string, text: string): boolean {
  const at = told.trimEnd().lastIndexOf(text);
  return at >= 0 && (text.length < told.trimEnd().length || at === 0);
}

/** Characters at the beginning of `text` that `told` ends with, as far as that is no accident. */
function overlapOf(told: string, text: string): number {
  const end = told.trimEnd();
  for (let length = Math.min(end.length, text.length); length > 0; length--) {
    if (!end.endsWith(text.slice(0, length))) continue;
    const start = end.length - length;
    if (length === end.length || length >= SURE_OVERLAP) return length;
    const beginsWord = start === 0 || !WORD.test(end[start - 1]!);
    const endsWord = length === text.length || !(WORD.test(end.at(-1)!) && WORD.test(text[length]!));
    if (beginsWord && (endsWord || /\s/.test(text.slice(0, length)))) return length;
  }
  return 0;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

function joined(told: string, text: string): string {
  if (/\s$/.test(told)) return text.trimStart();
  const [before, after] = [told.at(-1)!, text[0] ?? ''];
  const lacksSpace = WORD.test(before) && WORD.test(after) && !UNSPACED.test(before) && !UNSPACED.test(after);
  return lacksSpace ? ` ${text}` : text;
}
