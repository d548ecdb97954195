import { CALL_FORMS, type CallForm, type TextCall, readObjects } from './text-call-forms.js';

const FENCE_OPENS = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_CLOSES = /^\s*(`{3,}|~{3,})\s*$/;
/** Of a line that may be one of a fence. */
const MAX_LINE = 1_000;
/** With more blanks before it a line is code in Markdown. */
const MAX_INDENT = 3;
/** How an answer begins that is nothing but a call, blanks aside. */
const OBJECTS = ['{"name":', '{"type":"function",'];
/** Blanks included: whoever writes more of them writes something else. */
const OBJECT_BEGINS = 60;
/** More than an agent carries out in one step; further ones are dropped. */
const MAX_CALLS = 32;
/** Of what is compared with all that the model was given; whatever stands behind them is text. */
const MAX_COMPARED = 500;
/** A longer object is shown: nobody waits for its end. */
const MAX_OBJECT = 100_000;
/** The line of a mark that nothing opened: Qwen3-Coder leaves the other one out. */
const ORPHAN = '</tool_call>';
const TOKENS = CALL_FORMS.filter(({ isToken }) => isToken).map(({ opening }) => opening);
/** The end of a line, or what may be a call within it. */
const LINE_OR_TOKEN = new RegExp(
  ['\\n', ...TOKENS.map((token) => token.replaceAll(/[[\]|]/g, String.raw`\$&`))].join('|'),
  'g',
);
const LONGEST_TOKEN = Math.max(...TOKENS.map(({ length }) => length));

/** What of a text was no text. */
export interface TextCalls {
  /** What was held back, and is text after all. */
  text: string;
  /** The last one may have no end. */
  calls: TextCall[];
  /** An answer that is nothing but objects with names: whether they are calls is told by the names. */
  objects: { text: string; calls: TextCall[] } | null;
}

/**
 * Models whose server has no parser for their calls write them into their text, in the form of their family
 * (`CALL_FORMS`), or as the object alone (Llama). Told piece by piece, in whichever pieces it comes. A mark counts at the
 * beginning of a line, a token of the model also within one, outside of code and before what a call begins with: an answer
 * that speaks of one is no call, and neither is one that quotes what it was given.
 */
export class TextCallSplitter {
  private mode: 'line' | 'text' | 'call' | 'object' = 'line';
  private isFirst = true;
  /** What the code began with that the text is in; '' outside of any. */
  private fence = '';
  /** As much of the present line as was looked at. */
  private line = '';
  private isLineBegun = false;
  /** Whether the present line is within backticks. */
  private isCode = false;
  /** Whether what comes first was looked at already, and is no mark. */
  private isPassed = false;
  private isBehindCall = false;
  /** The beginning of a line that may be one of a mark, or of a token. */
  private held = '';
  private form: CallForm | null = null;
  private body = '';
  /** As much of the end of the body as may be the beginning of its mark. */
  private tail = '';
  private compared = 0;
  private readonly calls: TextCall[] = [];

  /** @param isQuoted whether it stands in what the model was given: a document must not make calls by being quoted */
  constructor(private readonly isQuoted: (mark: string) => boolean) {}

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

  /** @param isCut whether the answer ended because it was too long */
  end(isCut = false): TextCalls {
    const { mode, held, body, calls, form } = this;
    if (mode === 'object') {
      const read = readObjects(body);
      const isCall = read.rest === '' && !read.calls.some((call) => this.isQuotation(call));
      return { text: isCall ? '' : body, calls, objects: isCall ? { text: body, calls: read.calls } : null };
    }
    if (mode === 'call' && form) {
      if (form.closing !== null && body.trim() === '') return { text: '', calls, objects: null };
      const rest = this.keep(form, body, !isCut && /<\/(?:parameter|arg_value)>\s*$/.test(body.slice(-100)));
      return { text: rest ?? form.opening + body, calls, objects: null };
    }
    // A mark that nothing stands behind says nothing to anybody.
    const said = held.trimEnd();
    const isMark = CALL_FORMS.some(({ opening }) => opening === said && !opening.endsWith('='));
    return { text: isMark ? '' : held, calls, objects: null };
  }

  /** @returns what can be shown, and what is still to be looked at */
  private take(piece: string): [shown: string, rest: string] {
    switch (this.mode) {
      case 'text':
        return this.readLine(piece);
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

  private readLine(piece: string): [shown: string, rest: string] {
    const from = this.isPassed ? 1 : 0;
    this.isPassed = false;
    LINE_OR_TOKEN.lastIndex = from;
    const mark = LINE_OR_TOKEN.exec(piece);
    if (mark?.[0] === '\n') {
      const shown = piece.slice(0, mark.index + 1);
      this.note(shown);
      this.endLine();
      return [shown, piece.slice(shown.length)];
    }
    const at = mark?.index ?? endOfPlain(piece, from);
    const shown = piece.slice(0, at);
    this.note(shown);
    if (at === piece.length) return [shown, ''];
    this.mode = 'line';
    this.held = piece.slice(at);
    return [shown, mark ? this.release() : ''];
  }

  /** What is held is looked at as if it came now. */
  private release(): string {
    const { held } = this;
    this.held = '';
    return held;
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
    const { held, isFirst, isBehindCall } = this;
    if (isBehindCall && ORPHAN.startsWith(held.slice(0, ORPHAN.length))) {
      if (held.length < ORPHAN.length) return ['', ''];
      this.held = '';
      return ['', held.slice(ORPHAN.length)];
    }
    const mark = this.markIn(held);
    if (mark === 'perhaps') return ['', ''];
    if (mark) {
      this.begin('call');
      this.form = mark;
      return ['', held.slice(mark.opening.length)];
    }
    if (isFirst && held.startsWith('{')) {
      const begun = held.slice(0, OBJECT_BEGINS).replaceAll(/\s/g, '');
      if (OBJECTS.some((one) => begun.startsWith(one))) {
        this.begin('object');
        return ['', held];
      }
      if (held.length < OBJECT_BEGINS && OBJECTS.some((one) => one.startsWith(begun))) return ['', ''];
    }
    this.begin('text');
    this.isPassed = true;
    return ['', held];
  }

  /** The form of a call that begins here; what is before it in its line is noted. */
  private markIn(held: string): CallForm | 'perhaps' | null {
    const indent = /^[ \t]{0,4}/.exec(this.line)![0].replaceAll('\t', '    ').length;
    if (this.fence !== '' || this.isCode || indent > MAX_INDENT) return null;
    for (const form of CALL_FORMS) {
      const { opening, isToken } = form;
      if (this.isLineBegun && !isToken) continue;
      if (opening.startsWith(held)) return 'perhaps';
      const told = held.startsWith(opening) ? form.tells(held.slice(opening.length)) : null;
      if (told) return told === 'call' ? form : told;
    }
    return null;
  }

  /** Of what is shown of the text, the present line. */
  private note(shown: string): void {
    const line = this.line + shown;
    const at = line.trimEnd() === '' ? line.lastIndexOf('\n') + 1 : 0;
    this.line = line.slice(at, at + MAX_LINE);
    this.isLineBegun = this.line.trimStart() !== '';
    for (let tick = shown.indexOf('`'); tick >= 0; tick = shown.indexOf('`', tick + 1)) this.isCode = !this.isCode;
  }

  private endLine(): void {
    const { line, fence } = this;
    this.mode = 'line';
    this.clearLine();
    if (fence === '') this.fence = FENCE_OPENS.exec(line)?.[1] ?? '';
    else if (FENCE_CLOSES.exec(line)?.[1]?.startsWith(fence)) this.fence = '';
  }

  private clearLine(): void {
    this.line = '';
    this.isLineBegun = false;
    this.isCode = false;
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
    const { opening, closing } = this.form!;
    if (closing === null) {
      this.body += piece;
      return ['', ''];
    }
    const seen = this.tail + piece;
    const at = seen.indexOf(closing);
    const end = this.body.length - this.tail.length + at;
    this.body += piece;
    if (at < 0) {
      this.tail = seen.slice(1 - closing.length);
      return ['', ''];
    }
    const { body } = this;
    const rest = body.slice(end + closing.length);
    const isKept = this.keep(this.form!, body.slice(0, end), true) !== null;
    this.begin(isKept ? 'line' : 'text');
    this.clearLine();
    this.isBehindCall = isKept;
    return [isKept ? '' : opening + body.slice(0, body.length - rest.length), rest];
  }

  /** @returns what stands behind the calls; null: there are none, or a quotation */
  private keep(form: CallForm, body: string, isWhole: boolean): string | null {
    // What is dropped is not compared with anything.
    if (this.calls.length >= MAX_CALLS && form.closing !== null) return '';
    const { calls, rest } = form.read(body, isWhole);
    const few = calls.slice(0, MAX_CALLS);
    if (few.length === 0 || few.some((call) => this.isQuotation(call))) return null;
    this.calls.push(...few.slice(0, MAX_CALLS - this.calls.length));
    return rest;
  }

  private isQuotation({ marks }: TextCall): boolean {
    this.compared += marks.length;
    return this.compared > MAX_COMPARED || marks.some((mark) => this.isQuoted(mark));
  }
}

/** Behind what cannot be the beginning of a token. */
function endOfPlain(piece: string, from: number): number {
  for (let at = Math.max(from, piece.length - LONGEST_TOKEN + 1); at < piece.length; at += 1) {
    const begun = piece.slice(at);
    if (TOKENS.some((token) => token.startsWith(begun))) return at;
  }
  return piece.length;
}
