const OPENING = '<tool_call>';
const CLOSING = '</tool_call>';
const FENCE = '```';
/** How an answer begins that is nothing but a call, blanks aside. */
const OBJECT = '{"name":';
/** Blanks included: whoever writes more of them writes something else. */
const OBJECT_BEGINS = 60;
/** More than an agent carries out in one step; further ones are dropped. */
const MAX_CALLS = 32;
/** A longer object is shown: nobody waits for its end. */
const MAX_OBJECT = 100_000;

/** What of a text was no text. */
export interface TextCalls {
  /** What was held back, and is text after all. */
  text: string;
  /** What stood between the marks of calls; the last one may have no end. */
  calls: string[];
  /** An answer that is nothing but an object with a name: whether it is a call is told by the name. */
  object: string | null;
}

/**
 * Models whose server has no parser for their calls write them into their text: `<tool_call>{"name": …, "arguments":
 * …}</tool_call>` (Hermes, Qwen), or the object alone (Llama). Told piece by piece, in whichever pieces it comes. A mark
 * counts at the beginning of a line and outside of code alone: an answer that speaks of one is no call.
 */
export class TextCallSplitter {
  private mode: 'line' | 'text' | 'call' | 'object' = 'line';
  private isFirst = true;
  private isCode = false;
  private isBehindCall = false;
  /** The beginning of a line that may be one of a mark. */
  private held = '';
  private body = '';
  /** As much of the end of the body as may be the beginning of its mark. */
  private tail = '';
  private readonly calls: string[] = [];

  /** @returns what can be shown */
  push(piece: string): string {
    let shown = '';
    for (let rest = piece; rest !== '';) {
      const [text, left] = this.take(rest);
      shown += text;
      rest = left;
    }
    return shown;
  }

  end(): TextCalls {
    const { mode, held, body, calls } = this;
    if (mode === 'call' && body.trim() !== '') this.note(body);
    return { text: held, calls, object: mode === 'object' ? body : null };
  }

  /** @returns what can be shown, and what is still to be looked at */
  private take(piece: string): [shown: string, rest: string] {
    switch (this.mode) {
      case 'text': {
        const end = piece.indexOf('\n') + 1;
        if (end === 0) return [piece, ''];
        this.mode = 'line';
        return [piece.slice(0, end), piece.slice(end)];
      }
      case 'line':
        return this.beginLine(piece);
      case 'call':
        return ['', this.readCall(piece)];
      case 'object':
        this.body += piece;
        if (this.body.length <= MAX_OBJECT) return ['', ''];
        this.mode = 'text';
        return [this.body, ''];
    }
  }

  private beginLine(piece: string): [shown: string, rest: string] {
    if (this.held === '') {
      const line = piece.trimStart();
      const blanks = this.isBehindCall ? '' : piece.slice(0, piece.length - line.length);
      if (line === '') return [blanks, ''];
      if (blanks !== '') return [blanks, line];
      this.held = line;
    } else this.held += piece;
    const { held, isFirst } = this;
    if (!this.isCode && held.startsWith(OPENING)) {
      this.begin('call');
      return ['', held.slice(OPENING.length)];
    }
    if (OPENING.startsWith(held) || FENCE.startsWith(held)) return ['', ''];
    if (isFirst && held.startsWith('{')) {
      const begun = held.slice(0, OBJECT_BEGINS).replaceAll(/\s/g, '');
      if (begun.startsWith(OBJECT)) {
        this.begin('object');
        return ['', held];
      }
      if (held.length < OBJECT_BEGINS && OBJECT.startsWith(begun)) return ['', ''];
    }
    if (held.startsWith(FENCE)) this.isCode = !this.isCode;
    this.begin('text');
    return ['', held];
  }

  private begin(mode: 'text' | 'call' | 'object'): void {
    this.mode = mode;
    this.isFirst = false;
    this.isBehindCall = false;
    this.held = '';
    this.body = '';
    this.tail = '';
  }

  /** @returns what stands behind the call, once it has come to its end */
  private readCall(piece: string): string {
    const seen = this.tail + piece;
    const at = seen.indexOf(CLOSING);
    const end = this.body.length - this.tail.length + at;
    this.body += piece;
    if (at < 0) {
      this.tail = seen.slice(1 - CLOSING.length);
      return '';
    }
    const { body } = this;
    this.note(body.slice(0, end));
    this.begin('text');
    this.mode = 'line';
    this.isBehindCall = true;
    return body.slice(end + CLOSING.length);
  }

  private note(call: string): void {
    if (this.calls.length < MAX_CALLS) this.calls.push(call);
  }
}
