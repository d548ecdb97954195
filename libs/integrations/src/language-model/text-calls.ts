const OPENING = '<tool_call>';
const CLOSING = '</tool_call>';
/** What stands behind the mark of a call, rather than of a sentence that speaks of it; blanks alone tell nothing yet. */
const CALL_BEGINS = /^(?:\s{0,60}[{[<]|\w)/;
const FENCE_OPENS = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_CLOSES = /^\s*(`{3,}|~{3,})\s*$/;
/** Of a line that may be one of a fence. */
const MAX_LINE = 1_000;
/** With more blanks before it a line is code in Markdown. */
const MAX_INDENT = 3;
/** How an answer begins that is nothing but a call, blanks aside. */
const OBJECTS = ['{"name":', '{"type":"function",'];
/** Blanks included, as those behind a mark: whoever writes more of them writes something else. */
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
 * counts at the beginning of a line, outside of code and before what a call begins with: an answer that speaks of one is
 * no call, and neither is one that quotes what it was given.
 */
export class TextCallSplitter {
  private mode: 'line' | 'text' | 'call' | 'object' = 'line';
  private isFirst = true;
  /** What the code began with that the text is in; '' outside of any. */
  private fence = '';
  /** As much of the present line as was looked at. */
  private line = '';
  private isBehindCall = false;
  /** The beginning of a line that may be one of a mark. */
  private held = '';
  private body = '';
  /** As much of the end of the body as may be the beginning of its mark. */
  private tail = '';
  private readonly calls: string[] = [];

  /** @param isQuoted whether it stands in what the model was given: a document must not make calls by being quoted */
  constructor(private readonly isQuoted: (call: string) => boolean) {}

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
    if (mode === 'object')
      return this.isQuoted(body) ? { text: body, calls, object: null } : { text: '', calls, object: body };
    if (mode === 'call')
      return { text: body.trim() === '' || this.keep(body) ? '' : OPENING + body, calls, object: null };
    // A mark that nothing stands behind says nothing to anybody.
    return { text: held.startsWith(OPENING) ? '' : held, calls, object: null };
  }

  /** @returns what can be shown, and what is still to be looked at */
  private take(piece: string): [shown: string, rest: string] {
    switch (this.mode) {
      case 'text': {
        const end = piece.indexOf('\n') + 1;
        const shown = end === 0 ? piece : piece.slice(0, end);
        this.note(shown);
        if (end > 0) this.endLine();
        return [shown, piece.slice(shown.length)];
      }
      case 'line':
        return this.beginLine(piece);
      case 'call':
        return this.readCall(piece);
      case 'object':
        this.body += piece;
        if (this.body.length <= MAX_OBJECT) return ['', ''];
        this.mode = 'text';
        return [this.body, ''];
    }
  }

  private beginLine(piece: string): [shown: string, rest: string] {
    if (this.held === '') {
      const begun = piece.trimStart();
      const blanks = piece.slice(0, piece.length - begun.length);
      this.note(blanks);
      const shown = this.isBehindCall ? '' : blanks;
      if (begun === '') return [shown, ''];
      if (shown !== '') return [shown, begun];
      this.held = begun;
    } else this.held += piece;
    const { held, isFirst } = this;
    const mark = this.markIn(held);
    if (mark === 'call') {
      this.begin('call');
      return ['', held.slice(OPENING.length)];
    }
    if (mark === 'perhaps') return ['', ''];
    if (isFirst && held.startsWith('{')) {
      const begun = held.slice(0, OBJECT_BEGINS).replaceAll(/\s/g, '');
      if (OBJECTS.some((one) => begun.startsWith(one))) {
        this.begin('object');
        return ['', held];
      }
      if (held.length < OBJECT_BEGINS && OBJECTS.some((one) => one.startsWith(begun))) return ['', ''];
    }
    this.begin('text');
    return ['', held];
  }

  /** Whether the line begins with a call; the blanks before it are noted. */
  private markIn(held: string): 'call' | 'perhaps' | null {
    const indent = this.line.replaceAll('\t', '    ').length;
    if (this.fence !== '' || indent > MAX_INDENT) return null;
    if (!held.startsWith(OPENING)) return OPENING.startsWith(held) ? 'perhaps' : null;
    const behind = held.slice(OPENING.length);
    if (CALL_BEGINS.test(behind)) return 'call';
    return behind.trim() === '' && behind.length <= OBJECT_BEGINS ? 'perhaps' : null;
  }

  /** Of what is shown of the text, the present line. */
  private note(shown: string): void {
    const line = this.line + shown;
    const at = line.trimEnd() === '' ? line.lastIndexOf('\n') + 1 : 0;
    this.line = line.slice(at, at + MAX_LINE);
  }

  private endLine(): void {
    const { line, fence } = this;
    this.mode = 'line';
    this.line = '';
    if (fence === '') this.fence = FENCE_OPENS.exec(line)?.[1] ?? '';
    else if (FENCE_CLOSES.exec(line)?.[1]?.startsWith(fence)) this.fence = '';
  }

  private begin(mode: 'line' | 'text' | 'call' | 'object'): void {
    this.mode = mode;
    this.isFirst = false;
    this.isBehindCall = false;
    this.held = '';
    this.body = '';
    this.tail = '';
  }

  /** @returns what can be shown of the call, once it has come to its end, and what stands behind it */
  private readCall(piece: string): [shown: string, rest: string] {
    const seen = this.tail + piece;
    const at = seen.indexOf(CLOSING);
    const end = this.body.length - this.tail.length + at;
    this.body += piece;
    if (at < 0) {
      this.tail = seen.slice(1 - CLOSING.length);
      return ['', ''];
    }
    const { body } = this;
    const rest = body.slice(end + CLOSING.length);
    const isKept = this.keep(body.slice(0, end));
    this.begin(isKept ? 'line' : 'text');
    this.line = '';
    this.isBehindCall = isKept;
    return [isKept ? '' : OPENING + body.slice(0, body.length - rest.length), rest];
  }

  /** @returns whether it is a call, rather than a quotation */
  private keep(call: string): boolean {
    if (this.isQuoted(call)) return false;
    if (this.calls.length < MAX_CALLS) this.calls.push(call);
    return true;
  }
}
