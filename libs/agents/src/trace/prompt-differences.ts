import { createHash } from 'node:crypto';
import type { ModelMessage, ModelRequest, ModelTool } from '@app/integrations';
import type { KeptText, TracedMessage, TracedPrompt } from './trace-content.js';

/** Prompts of one turn that later ones may begin with: calls of helpers stand between those of the agent. */
const REMEMBERED = 6;

interface Remembered {
  entryId: string;
  system: string;
  tools: string;
  /** Of each message. */
  messages: string[];
}

export interface PromptDifference {
  after: TracedPrompt['after'];
  /** Null: as before. */
  system: string | null;
  tools: string[] | null;
  messages: readonly ModelMessage[];
}

/** The prompts of one turn in this process, as fingerprints. */
export class PromptDifferences {
  private readonly earlier: Remembered[] = [];

  /** What of the request is new. @param entryId by which later ones name it */
  next(entryId: string, request: ModelRequest & { tools?: readonly ModelTool[] }): PromptDifference {
    const { system = '', messages, tools = [] } = request;
    const names = tools.map(({ name }) => name);
    const own = { entryId, system: hash(system), tools: hash(names.join()), messages: messages.map(fingerprint) };
    const [base, shared] = this.longest(own.messages);
    this.earlier.unshift(own);
    this.earlier.length = Math.min(this.earlier.length, REMEMBERED);
    if (base === null) return { after: null, system, tools: names, messages };
    return {
      after: { entryId: base.entryId, messages: tracedCount(messages.slice(0, shared)) },
      system: base.system === own.system ? null : system,
      tools: base.tools === own.tools ? null : names,
      messages: messages.slice(shared),
    };
  }

  private longest(messages: readonly string[]): [Remembered | null, number] {
    let [found, most]: [Remembered | null, number] = [null, 0];
    for (const one of this.earlier) {
      const end = one.messages.findIndex((each, at) => each !== messages[at]);
      const shared = end === -1 ? one.messages.length : end;
      if (shared > most) [found, most] = [one, shared];
    }
    return [found, most];
  }
}

/** How many messages a trace makes of these. */
const tracedCount = (messages: readonly ModelMessage[]) =>
  messages.reduce((sum, message) => sum + (message.role === 'tool' ? message.outcomes.length : 1), 0);

/** The messages as a trace keeps them: a message with the outcomes of several calls becomes one for each. */
export function toTraced(message: ModelMessage, keep: (text: string) => KeptText): TracedMessage[] {
  switch (message.role) {
    case 'tool':
      return message.outcomes.map(({ callId, output, isError }) => ({
        role: 'tool',
        content: keep(output),
        callId,
        isError,
      }));
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      const calls = toolCalls.map(({ id, name, input }) => ({ id, name, arguments: keep(JSON.stringify(input)) }));
      return [{ role: 'assistant', content: keep(content), ...(calls.length > 0 && { calls }) }];
    }
    case 'user': {
      const { content, images = [] } = message;
      const shown = images.map(({ mediaType, data }) => ({ mediaType, bytes: data.byteLength }));
      return [{ role: 'user', content: keep(content), ...(shown.length > 0 && { images: shown }) }];
    }
  }
}

function fingerprint(message: ModelMessage): string {
  const { images, ...rest } = message as { images?: readonly { data: Uint8Array }[] };
  const pictures = images?.map(({ data }) => data.byteLength) ?? [];
  return hash(JSON.stringify([rest, pictures]));
}

const hash = (text: string) => createHash('sha1').update(text).digest('base64');
