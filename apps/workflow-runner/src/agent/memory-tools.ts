import {
  type AgentTool,
  holdsSecret,
  MAX_MEMORY_LENGTH,
  MEMORY_KINDS,
  memoryKey,
  type MemoryRecord,
  type MemoryRows,
  type MemorySearch,
  nearestMemories,
  type Party,
  type ToolAnswer,
  ToolCallError,
} from '@app/agents';
import { derivedId, NotFoundError } from '@app/common';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import type { TurnCaller } from './catalogue-tools.js';

/** Namespace of the ids by which a repetition is known. */
const REMEMBERED = '0b6f7c1e-93f4-4d0e-8f27-5a1c3f0f7d46';
const LISTED = 8;
const MAX_FORGOTTEN = 20;

/**
 * Later conversations read it and follow it, as if they were somebody else: what strangers wrote into documents or
 * results of tools gets there with the user's consent only (`flowNeeds`).
 */
const MEMORIES: Party = { key: 'memories', label: 'what is remembered of you' };

const remembering = z.object({
  text: z.string().trim().min(1).max(MAX_MEMORY_LENGTH),
  kind: z.enum(MEMORY_KINDS).default('fact'),
  cues: z.array(z.string()).max(40).default([]),
  replaces: z.uuid().nullish(),
});
const forgetting = z.object({
  about: z.string().trim().max(MAX_MEMORY_LENGTH).default(''),
  ids: z.array(z.uuid()).max(MAX_FORGOTTEN).default([]),
});

/** What the user wants to be remembered or forgotten, at once and in so many words. None where memory is switched off. */
export class MemoryTools {
  constructor(
    private readonly database: DataSource,
    private readonly rows: MemoryRows,
    private readonly search: MemorySearch,
  ) {}

  async list(caller: TurnCaller): Promise<AgentTool[]> {
    return (await this.rows.isEnabled(caller.viewer.userId)) ? [this.remember(caller), this.forget(caller)] : [];
  }

  private remember(caller: TurnCaller): AgentTool {
    return {
      name: 'remember',
      title: 'Remember',
      description:
        'Keeps something about the user for later conversations. Only when the user asks for it: what they say in passing is kept without it. Never passwords, keys or numbers of cards, and nothing about others that stands in documents.',
      inputSchema: {
        type: 'object',
        properties: {
          text: {
            type: 'string',
            title: 'What to remember',
            maxLength: MAX_MEMORY_LENGTH,
            description: 'One sentence in the third person ("The user ..."), in the language of the user.',
          },
          kind: { type: 'string', enum: [...MEMORY_KINDS], description: 'fact unless another fits better.' },
          cues: {
            type: 'array',
            items: { type: 'string' },
            maxItems: 12,
            description: 'Topics and tasks for which it is needed, in words that are not in the text; also in English.',
          },
          replaces: { type: 'string', description: 'The id of what is no longer true, as forget lists it.' },
        },
        required: ['text'],
        additionalProperties: false,
      },
      effectsOf: () => 'idempotent',
      approvalFor: () => null,
      targetOf: () => MEMORIES,
      run: async (input, { idempotencyKey }) => {
        const { text, kind, cues, replaces } = parse(remembering, input);
        if (memoryKey(text) === '') throw mistake('text: There is nothing in it to remember.');
        if (holdsSecret(text))
          throw new ToolCallError('secret_refused', 'Passwords, keys and numbers of cards are not remembered.');
        await this.requireEnabled(caller);
        return this.keep(caller, idempotencyKey, { text, kind, cues, replaces });
      },
    };
  }

  private async keep(
    { viewer: { userId, turnId }, onPremises, tell }: TurnCaller,
    idempotencyKey: string,
    { text, kind, cues, replaces }: z.infer<typeof remembering>,
  ): Promise<ToolAnswer> {
    const id = derivedId(REMEMBERED, idempotencyKey);
    const about = { kind, text, cues, confidence: 1, staysOnPremises: onPremises };
    const memory = { ...about, id, sourceTurnId: turnId ?? null, supersedes: replaces ?? null };
    const kept = await this.database.transaction((tx) => this.rows.keep(tx, userId, memory));
    if (!kept) throw mistake('replaces: There is no such memory.');
    if (kept.wasKnown) return { output: { remembered: true, was_known: true } };
    const event = { text, kind, memory_id: id, confidence: 1, superseded_id: replaces ?? null };
    tell('stage:memory_persisted', event);
    return { output: { remembered: true, id } };
  }

  private forget(caller: TurnCaller): AgentTool {
    return {
      name: 'forget',
      title: 'Forget',
      description:
        'Deletes what is remembered of the user, when the user asks for it. First with about: it lists what may be meant, with ids. Then with the ids of what the user means, and no others; ask when it is not clear.',
      inputSchema: {
        type: 'object',
        properties: {
          about: { type: 'string', title: 'About', maxLength: MAX_MEMORY_LENGTH, description: 'What to look for.' },
          ids: { type: 'array', items: { type: 'string' }, maxItems: MAX_FORGOTTEN, title: 'Memories' },
        },
        additionalProperties: false,
      },
      effectsOf: ({ ids }) => (Array.isArray(ids) && ids.length > 0 ? 'idempotent' : 'none'),
      approvalFor: () => null,
      sourceOf: ({ ids }) => (Array.isArray(ids) && ids.length > 0 ? null : MEMORIES),
      targetOf: ({ ids }) => (Array.isArray(ids) && ids.length > 0 ? MEMORIES : null),
      run: async (input) => {
        const { about, ids } = parse(forgetting, input);
        await this.requireEnabled(caller);
        if (ids.length > 0) return this.delete(caller, ids);
        if (about === '') throw mistake('about: Say what to look for, or give ids.');
        return this.candidates(caller, about);
      },
    };
  }

  private async candidates({ viewer: { userId }, onPremises }: TurnCaller, about: string): Promise<ToolAnswer> {
    const { asked, memories } = await this.search.compare({ userId, onPremises }, about);
    const found = nearestMemories(asked, memories, LISTED);
    return { output: { memories: found.map(({ id, kind, text }) => ({ id, kind, text })) } };
  }

  private async delete({ viewer: { userId }, tell }: TurnCaller, ids: readonly string[]): Promise<ToolAnswer> {
    const found = await this.rows.find(userId, ids);
    for (const memory of found) {
      await this.rows.delete(userId, memory.id).catch(unlessGone);
      tell('stage:memory_forgotten', toForgotten(memory));
    }
    // A repetition of the call finds nothing left: then it is done, too.
    return { output: { forgotten: found.map(({ id, text }) => ({ id, text })), not_there: ids.length - found.length } };
  }

  /** The switch may have been turned since the turn began. */
  private async requireEnabled({ viewer }: TurnCaller): Promise<void> {
    if (!(await this.rows.isEnabled(viewer.userId)))
      throw new ToolCallError('memory_off', 'The user has switched memory off.');
  }
}

function parse<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw mistake(z.prettifyError(parsed.error));
  return parsed.data;
}

function toForgotten({ id, kind, text }: MemoryRecord): Record<string, unknown> {
  return { memory_id: id, kind, text };
}

function unlessGone(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error;
}

function mistake(message: string): ToolCallError {
  return new ToolCallError('invalid_params', message, true);
}
