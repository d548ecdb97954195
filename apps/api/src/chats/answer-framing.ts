import type { TokenUsage } from '@app/integrations';
import type { Request } from 'express';

/** How an answer is written on the wire (document 2, section 6; document 3, B0). */
export interface AnswerFraming {
  sources(sources: readonly unknown[]): string;
  delta(text: string): string;
  done(turnId: string, usage: TokenUsage | null): string;
  /** What tells the client of a failure half-way; null: nothing can, and the connection has to be broken off. */
  error(code: string, detail: string): string | null;
}

/** The default: a JSON array of the sources, then the bare text. */
class RawFraming implements AnswerFraming {
  constructor(private readonly separator: string) {}

  sources(sources: readonly unknown[]): string {
    return JSON.stringify(sources) + this.separator;
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

/** Server-Sent Events with ids from 1; `offset` counts UTF-16 code units of the answer. */
class SseFraming implements AnswerFraming {
  private id = 0;
  private offset = 0;

  sources(sources: readonly unknown[]): string {
    return this.frame('sources', sources);
  }

  delta(text: string): string {
    const frame = this.frame('delta', { offset: this.offset, text });
    this.offset += text.length;
    return frame;
  }

  done(turnId: string, usage: TokenUsage | null): string {
    const counted = usage && { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens };
    return this.frame('done', { turn_id: turnId, usage: counted });
  }

  error(code: string, detail: string): string {
    return this.frame('error', { code, detail });
  }

  private frame(event: string, data: unknown): string {
    return `id: ${++this.id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}

/**
 * Events when the client asks: `?framing=sse`, or `Accept: text/event-stream; framing=sse`.
 * @param separator between sources and text in the raw form
 */
export function framingFor(request: Request, separator = ''): AnswerFraming {
  const accepted = request.headers.accept ?? '';
  const asked = request.query.framing === 'sse' || /text\/event-stream\s*;[^,]*\bframing="?sse\b/i.test(accepted);
  return asked ? new SseFraming() : new RawFraming(separator);
}
