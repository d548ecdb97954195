import { isDictionary } from '@app/common';
import { createParser } from 'eventsource-parser';
import { GatewayUnreachableError } from '../gateway/agent-gateway.js';

/** One event, which is held until it is whole. */
const MAX_FRAME_CHARACTERS = 4 * 1024 * 1024;
/** More frames that nobody can read are no stream of events. */
const MOST_UNREADABLE = 20;

export interface Frame {
  /** Null where the gateway numbers nothing. */
  id: number | null;
  data: Record<string, unknown>;
}

/** It tells what cannot be read, and would again. */
export class UnreadableError extends GatewayUnreachableError {
  /** @param at number of the frame, where it has one */
  constructor(
    message: string,
    readonly at: number | null,
  ) {
    super(message);
  }
}

/**
 * The frames of a stream of events; what is cut off in the middle is none.
 * @param silenceMs after which it counts as broken: comments are a sign of life, single bytes are not
 * @throws GatewayUnreachableError where it breaks; ends where it ends
 */
export async function* readFrames(
  body: AsyncIterable<Uint8Array>,
  ending: AbortController,
  silenceMs: number,
): AsyncGenerator<Frame, void> {
  const frames: Frame[] = [];
  let unreadable = 0;
  let isTooLarge = false;
  const silence = setTimeout(() => ending.abort(), silenceMs);
  const live = () => void silence.refresh();
  const parser = createParser({
    maxBufferSize: MAX_FRAME_CHARACTERS,
    onComment: live,
    onEvent: ({ id, data }) => {
      live();
      const read = parse(data);
      if (read === null) unreadable += 1;
      else frames.push({ id: id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : null, data: read });
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') isTooLarge = true;
    },
  });
  const decoder = new TextDecoder();
  const numbers = new Numbers();
  try {
    for await (const piece of body) {
      const text = decoder.decode(piece, { stream: true });
      numbers.see(text);
      parser.feed(text);
      for (const frame of frames.splice(0)) {
        yield frame;
        // Whoever takes their time with it is not the gateway's silence.
        live();
      }
      if (isTooLarge || unreadable > MOST_UNREADABLE)
        throw new UnreadableError('The gateway tells what cannot be read.', isTooLarge ? numbers.last : null);
    }
  } catch (error) {
    throw error instanceof GatewayUnreachableError
      ? error
      : new GatewayUnreachableError('The stream of the gateway broke off.', { cause: error });
  } finally {
    clearTimeout(silence);
    ending.abort();
  }
}

/** The number that was told last, also of a frame that never becomes one. */
class Numbers {
  last: number | null = null;
  private line = '';

  see(text: string): void {
    const lines = text.split('\n');
    lines[0] = `${this.line}${lines[0]}`;
    // Whatever is longer is no number.
    this.line = lines.pop()!.slice(0, 40);
    for (const line of lines) {
      const [, number] = /^id: ?(\d{1,15})\r?$/.exec(line) ?? [];
      if (number !== undefined) this.last = Number(number);
      else if (line === '' || line === '\r') this.last = null;
    }
  }
}

function parse(data: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(data);
    return isDictionary(value) ? value : null;
  } catch {
    return null;
  }
}
