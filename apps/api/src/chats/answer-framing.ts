import type { TurnEndData } from '@app/agents';
import type { Request } from 'express';

/**
 * How an answer is written on the wire (docs/contract/conventions.md#streams). `id` is the number of an event in a log
 * that a client can go on from; without one they are counted.
 */
export interface AnswerFraming {
  /** Whether a client can come back and go on where it was. */
  readonly isResumable: boolean;
  /** Keeps proxies from thinking that the connection is dead; null: nothing can. */
  readonly sign: string | null;
  /** '' for what is not told in this form. */
  sources(sources: readonly unknown[], id?: number): string;
  delta(text: string, id?: number): string;
  done(turnId: string, usage: TurnEndData['usage'], id?: number): string;
  /** What tells the client of a failure half-way; null: nothing can, and the connection has to be broken off. */
  error(code: string, detail: string, id?: number): string | null;
}

/** Between sources and text; null: the text alone is told. */
export type Separator = '' | '||' | null;

/** The default: a JSON array of the sources, then the bare text. */
class RawFraming implements AnswerFraming {
  readonly isResumable = false;
  readonly sign = null;

  constructor(private readonly separator: Separator) {}

  sources(sources: readonly unknown[]): string {
    return this.separator === null ? '' : JSON.stringify(sources) + this.separator;
  }

  delta(text: string): string {
    return text;
  }

  done(): string {
    return '';
  }

  error(): null {
    return null;
  }
}

/** Server-Sent Events with rising ids; `offset` counts UTF-16 code units of the answer. */
class SseFraming implements AnswerFraming {
  readonly isResumable = true;
  readonly sign = ': waiting\n\n';
  private id = 0;
  private offset = 0;

  sources(sources: readonly unknown[], id?: number): string {
    return this.frame('sources', sources, id);
  }

  delta(text: string, id?: number): string {
    const frame = this.frame('delta', { offset: this.offset, text }, id);
    this.offset += text.length;
    return frame;
  }

  done(turnId: string, usage: TurnEndData['usage'], id?: number): string {
    return this.frame('done', { turn_id: turnId, usage }, id);
  }

  error(code: string, detail: string, id?: number): string {
    return this.frame('error', { code, detail }, id);
  }

  private frame(event: string, data: unknown, id = this.id + 1): string {
    this.id = id;
    return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}

/** Events when the client asks: `?framing=sse`, or `Accept: text/event-stream; framing=sse`. */
export function framingFor(request: Request, separator: Separator = ''): AnswerFraming {
  const accepted = request.headers.accept ?? '';
  const asked = request.query.framing === 'sse' || /text\/event-stream\s*;[^,]*\bframing="?sse\b/i.test(accepted);
  return asked ? new SseFraming() : new RawFraming(separator);
}
