import type { StepPart } from './language-model.port.js';

const OPENINGS = ['<think>', '<thinking>'] as const;
const CLOSINGS = ['</think>', '</thinking>'] as const;
const TAG = /<(\/?)think(?:ing)?>/;
const TAGS = [...OPENINGS, ...CLOSINGS] as const;
const LONGEST_TAG = 11;
/** What comes before a tag that is spoken of. */
const QUOTES = /["'`“‘«]$/;

/**
 * Models without a parser at their endpoint write what they think into their text, between `<think>` and `</think>`,
 * before anything else. Told piece by piece, in whichever pieces it comes; a section that never ends is thought to its end.
 * Where the prompt opens the section, as templates of some models do, the text has its closing tag alone: such a tag is
 * no part of the answer, and what was told before it can be taken back no more. Of a model that is known for it, the text
 * waits for the tag.
 */
export class ThinkSplitter {
  private mode: 'beginning' | 'thinking' | 'waiting' | 'answering' = 'beginning';
  /** Before anything else; apart, since there may be many pieces of them. */
  private blanks = '';
  private held = '';
  private closing = '';
  private hasThought = false;
  /** Of a text that waits. */
  private readonly waiting: string[] = [];
  /** Whether a closing tag would be one of a section that the prompt had opened. */
  private mayClose = true;
  private readonly told = { isCode: false, last: '' };
  private unopened: boolean | null = null;

  /** @param isOpened whether the prompt may have opened the section */
  constructor(private readonly isOpened = false) {}

  /** Whether texts go through as they are from here on. */
  get isPassing(): boolean {
    return this.mode === 'answering' && !this.hasThought && !this.mayClose;
  }

  /** Whether the thoughts of this text were opened in the prompt; null where it does not tell. */
  get isUnopened(): boolean | null {
    return this.unopened;
  }

  push(piece: string): StepPart[] {
    if (this.mode === 'answering') return this.answer(piece);
    if (this.mode === 'waiting') return this.wait(piece);
    if (this.mode === 'thinking' || this.held !== '') this.held += piece;
    else {
      this.held = piece.trimStart();
      this.blanks += piece.slice(0, piece.length - this.held.length);
    }
    return this.mode === 'beginning' ? this.begin() : this.think();
  }

  end(): StepPart[] {
    const { mode } = this;
    if (mode === 'waiting') this.unopened = false;
    const text = this.waiting.join('') + (mode === 'beginning' ? this.blanks : '') + this.held;
    this.waiting.length = 0;
    this.held = '';
    this.blanks = '';
    return mode === 'thinking' ? reasoning(text) : answered(text);
  }

  private begin(): StepPart[] {
    const text = this.held;
    if (text === '') return [];
    const opening = OPENINGS.find((tag) => text.startsWith(tag));
    if (opening !== undefined) {
      this.mode = 'thinking';
      this.mayClose = false;
      this.closing = `</${opening.slice(1)}`;
      this.held = text.slice(opening.length);
      return this.think();
    }
    if (text.length < LONGEST_TAG && TAGS.some((tag) => tag.startsWith(text))) return [];
    const closing = CLOSINGS.find((tag) => text.startsWith(tag));
    if (closing !== undefined) {
      this.held = '';
      this.blanks = '';
      return this.goOn(text.slice(closing.length));
    }
    const all = this.blanks + text;
    this.held = '';
    this.blanks = '';
    this.mode = this.isOpened ? 'waiting' : 'answering';
    return this.isOpened ? this.wait(all) : this.answer(all);
  }

  private think(): StepPart[] {
    const at = this.held.indexOf(this.closing);
    if (at >= 0) {
      const thought = this.held.slice(0, at);
      const rest = this.held.slice(at + this.closing.length);
      this.held = '';
      return [...reasoning(thought), ...this.goOn(rest)];
    }
    // What may be the beginning of the end waits.
    const kept = overlapWith(this.held, [this.closing]);
    const thought = this.held.slice(0, this.held.length - kept);
    this.held = this.held.slice(this.held.length - kept);
    return reasoning(thought);
  }

  /** Until it is clear whether it is a thought or the answer. */
  private wait(piece: string): StepPart[] {
    const text = this.held + piece;
    const tag = TAG.exec(text);
    if (!tag) {
      const kept = overlapWith(text, TAGS);
      this.waiting.push(text.slice(0, text.length - kept));
      this.held = text.slice(text.length - kept);
      return [];
    }
    const before = this.waiting.join('');
    this.waiting.length = 0;
    this.held = '';
    if (tag[1] === '/') {
      this.unopened = true;
      return [...reasoning(before + text.slice(0, tag.index)), ...this.goOn(text.slice(tag.index + tag[0].length))];
    }
    this.mode = 'answering';
    this.mayClose = false;
    return answered(before + text);
  }

  private goOn(rest: string): StepPart[] {
    this.mode = 'answering';
    this.mayClose = false;
    this.hasThought = true;
    return this.answer(rest);
  }

  /** The lines between the thought and the answer belong to neither. */
  private answer(piece: string): StepPart[] {
    if (this.mayClose) return this.close(piece);
    if (!this.hasThought) return answered(piece);
    const text = piece.trimStart();
    if (text === '') return [];
    this.hasThought = false;
    return answered(text);
  }

  /** Takes the closing tag out of an answer that began with a thought, unless the answer speaks of such tags. */
  private close(piece: string): StepPart[] {
    const text = this.held + piece;
    this.held = '';
    const tag = TAG.exec(text);
    if (!tag) {
      const kept = overlapWith(text, TAGS);
      this.held = text.slice(text.length - kept);
      return this.tell(text.slice(0, text.length - kept));
    }
    const said = this.tell(text.slice(0, tag.index));
    const { isCode, last } = this.told;
    this.mayClose = false;
    if (tag[1] === '' || isCode || QUOTES.test(last)) return answered(text);
    const rest = this.goOn(text.slice(tag.index + tag[0].length));
    this.unopened = true;
    return [...said, ...answered(last === '\n' ? '\n' : '\n\n'), ...rest];
  }

  private tell(text: string): StepPart[] {
    const { told } = this;
    if (text === '') return [];
    const runs = text.match(/`+/g)?.length ?? 0;
    const goesOn = text.startsWith('`') && told.last === '`';
    if ((runs - (goesOn ? 1 : 0)) % 2 === 1) told.isCode = !told.isCode;
    told.last = text.at(-1)!;
    return answered(text);
  }
}

function answered(text: string): StepPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function reasoning(text: string): StepPart[] {
  return text === '' ? [] : [{ type: 'reasoning', text }];
}

/** How much of the end of `text` is a beginning of one of the tags. */
function overlapWith(text: string, tags: readonly string[]): number {
  const from = text.lastIndexOf('<');
  const end = from < 0 ? '' : text.slice(from);
  return end !== '' && tags.some((tag) => end.length < tag.length && tag.startsWith(end)) ? end.length : 0;
}
