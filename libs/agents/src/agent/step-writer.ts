import type { PictureFilter } from '@app/common';
import { Continuation } from '../turn-events/continuation.js';
import { filterAfter } from '../turn-events/shown-text.js';
import type { AgentHost } from './agent-host.js';

const BETWEEN_STEPS = '\n\n';
/** Pieces after which the log has to have caught up. */
const PIECES_AHEAD = 48;

/** Tells the text of one step after that of the steps before, and goes on with what of it was told already. */
export class StepWriter {
  /** What of this step was told by an earlier try. */
  readonly published: string;
  private readonly start: number;
  private readonly separator: string;
  private continuation: Continuation;
  private readonly pictures: PictureFilter;
  private heldBack = '';
  private pieces = 0;
  private hasWritten: boolean;

  /** @param textLength how much of the told text belongs to earlier steps */
  constructor(
    private readonly host: AgentHost,
    textLength: number,
    private readonly writing: () => void,
  ) {
    const { text } = host.published;
    this.start = textLength;
    const lost = text.slice(textLength);
    this.separator = textLength > 0 ? BETWEEN_STEPS : '';
    const separated = commonStart(lost, this.separator);
    this.published = lost.slice(separated);
    this.hasWritten = this.published !== '';
    this.separator = this.separator.slice(separated);
    this.continuation = new Continuation(this.published);
    this.pictures = filterAfter(text);
  }

  /** The text of the step, as far as it was told. */
  get text(): string {
    const all = this.host.published.text.slice(this.start);
    return this.start > 0 && all.startsWith(BETWEEN_STEPS) ? all.slice(BETWEEN_STEPS.length) : all;
  }

  async write(piece: string): Promise<void> {
    this.publish(this.continuation.push(piece));
    this.pieces += 1;
    if (this.pieces % PIECES_AHEAD === 0) await this.host.flush();
  }

  /** The stream is over, or broke off: what is written next goes on from here. */
  pause(): void {
    this.publish(this.continuation.end(), true);
    this.continuation = new Continuation(this.text);
  }

  private publish(text: string, isEnd = false): void {
    let piece = (this.heldBack + text).replaceAll('\0', '');
    this.heldBack = '';
    // Half of a character cannot be kept; its other half comes with the next piece, or never.
    if (/[\ud800-\udbff]$/.test(piece)) {
      if (!isEnd) this.heldBack = piece.slice(-1);
      piece = piece.slice(0, -1);
    }
    if (!this.hasWritten) piece = piece.trimStart();
    if (!this.hasWritten && piece !== '') {
      this.hasWritten = true;
      this.writing();
      piece = this.separator + piece;
    }
    const shown = this.pictures.push(piece) + (isEnd ? this.pictures.end() : '');
    if (shown !== '') this.host.text(shown);
  }
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}
