import { Transform, type TransformCallback } from 'node:stream';
import { isFaithful } from '@app/common';

const DIGIT = /[\d-]/;
const IN_NUMBER = /[\d.eE+-]/;
const DATA = 'data:';
/** Deeper than any result is meant to be; what goes on for some thousands breaks whoever walks through it. */
const MAX_DEPTH = 500;
/** Stands where something was deeper. */
export const TOO_DEEP = '[left out: nested too deep]';

/**
 * Passes JSON on, or a stream of events whose data is JSON, and makes a text of each number that JavaScript would read as
 * another one: servers send ids of 64 bits, and whoever parses them later would silently take a neighbour's. Leaves out
 * what is nested too deep to be read, and says so in its place: the rest of the answer is as good as before.
 */
export class FaithfulNumbers extends Transform {
  private isText = false;
  private isEscaped = false;
  private number = '';
  /** The beginning of the line, of events. */
  private line = '';
  /** Whether the data of this event is a message; null before it begins. The older transport tells an address as well. */
  private isJson: boolean | null = null;
  private previous = '';
  private depth = 0;

  constructor(private readonly isEvents: boolean) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let passed = '';
    // One character for each byte: what counts here is ASCII.
    for (const character of chunk.toString('latin1'))
      passed += this.isData(character) ? this.pass(character) : character;
    done(null, Buffer.from(passed, 'latin1'));
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(this.ended(), 'latin1'));
  }

  /** Whether the character is JSON; line ends are, since numbers end there. */
  private isData(character: string): boolean {
    if (!this.isEvents) return true;
    const { previous } = this;
    this.previous = character;
    if (character === '\n' || character === '\r') {
      if (character === '\n' && previous === '\r') return true;
      // An empty line ends the event.
      if (this.line === '') {
        this.isJson = null;
        this.depth = 0;
      }
      // No text of JSON goes over the end of a line.
      this.line = '';
      this.isText = false;
      this.isEscaped = false;
      return true;
    }
    if (this.line === DATA) {
      if (character !== ' ') this.isJson ??= character === '{' || character === '[';
      return this.isJson === true;
    }
    if (this.line.length < DATA.length) this.line += character;
    return false;
  }

  private pass(character: string): string {
    const isShown = this.depth <= MAX_DEPTH;
    if (this.isText) {
      if (this.isEscaped) this.isEscaped = false;
      else if (character === '\\') this.isEscaped = true;
      else if (character === '"') this.isText = false;
      return isShown ? character : '';
    }
    if (isShown && (this.number === '' ? DIGIT : IN_NUMBER).test(character)) {
      this.number += character;
      return '';
    }
    this.isText = character === '"';
    if (character === '{' || character === '[') this.depth += 1;
    else if (character === '}' || character === ']') this.depth -= 1;
    if (isShown && this.depth > MAX_DEPTH) return `${this.ended()}"${TOO_DEEP}"`;
    // Line ends are the stream's.
    if (!isShown) return character === '\n' || character === '\r' ? character : '';
    return this.ended() + character;
  }

  private ended(): string {
    const { number } = this;
    this.number = '';
    return number === '' || isFaithful(number, Number(number)) ? number : `"${number}"`;
  }
}
