import type { StepPart } from './language-model.port.js';

const OPENINGS = ['<think>', '<thinking>'] as const;
const LONGEST_OPENING = 10;

/**
 * Models without a parser at their endpoint write what they think into their text, between `<think>` and `</think>`,
 * before anything else. Told piece by piece, in whichever pieces it comes; a section that never ends is thought to its end.
 */
export class ThinkSplitter {
  private mode: 'beginning' | 'thinking' | 'answering' = 'beginning';
  /** Before anything else; apart, since there may be many pieces of them. */
  private blanks = '';
  private held = '';
  private closing = '';
  private hasThought = false;

  /** Whether texts go through as they are from here on. */
  get isPassing(): boolean {
    return this.mode === 'answering' && !this.hasThought;
  }

  push(piece: string): StepPart[] {
    if (this.mode === 'answering') return this.answer(piece);
    if (this.mode === 'thinking' || this.held !== '') this.held += piece;
    else {
      this.held = piece.trimStart();
      this.blanks += piece.slice(0, piece.length - this.held.length);
    }
    return this.mode === 'beginning' ? this.begin() : this.think();
  }

  end(): StepPart[] {
    const { mode } = this;
    const text = mode === 'beginning' ? this.blanks + this.held : this.held;
    this.held = '';
    this.blanks = '';
    if (text === '') return [];
    return [{ type: mode === 'thinking' ? 'reasoning' : 'text', text }];
  }

  private begin(): StepPart[] {
    const text = this.held;
    if (text === '') return [];
    const opening = OPENINGS.find((tag) => text.startsWith(tag));
    if (opening !== undefined) {
      this.mode = 'thinking';
      this.closing = `</${opening.slice(1)}`;
      this.held = text.slice(opening.length);
      return this.think();
    }
    if (text.length < LONGEST_OPENING && OPENINGS.some((tag) => tag.startsWith(text))) return [];
    this.mode = 'answering';
    const all = this.blanks + text;
    this.held = '';
    this.blanks = '';
    return [{ type: 'text', text: all }];
  }

  private think(): StepPart[] {
    const at = this.held.indexOf(this.closing);
    if (at >= 0) {
      const thought = this.held.slice(0, at);
      const rest = this.held.slice(at + this.closing.length);
      this.held = '';
      this.mode = 'answering';
      this.hasThought = true;
      return [...reasoning(thought), ...this.answer(rest)];
    }
    // What may be the beginning of the end waits.
    const kept = overlapWith(this.held, this.closing);
    const thought = this.held.slice(0, this.held.length - kept);
    this.held = this.held.slice(this.held.length - kept);
    return reasoning(thought);
  }

  /** The lines between the thought and the answer belong to neither. */
  private answer(piece: string): StepPart[] {
    if (!this.hasThought) return [{ type: 'text', text: piece }];
    const text = piece.trimStart();
    if (text === '') return [];
    this.hasThought = false;
    return [{ type: 'text', text }];
  }
}

/** A whole text, of which nothing is told yet; one whose opening stood in the prompt begins within the thought. */
export function withoutThoughts(text: string): string {
  const splitter = new ThinkSplitter();
  const parts = [...splitter.push(text), ...splitter.end()];
  const answer = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const orphan = /^(?:(?!<think>)[\s\S])*?<\/think>\s*/.exec(answer)?.[0];
  return orphan === undefined ? answer : answer.slice(orphan.length);
}

function reasoning(text: string): StepPart[] {
  return text === '' ? [] : [{ type: 'reasoning', text }];
}

/** How much of the end of `text` is a beginning of `tag`. */
function overlapWith(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1)
    if (tag.startsWith(text.slice(-length))) return length;
  return 0;
}
