import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { strictProblem } from './strict-rules.js';
import { events, json, must, Refusal, signed, stepAt, type Step, VendorDouble, type Json } from './vendor-double.js';

const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
  extra_content: z.strictObject({ google: z.strictObject({ thought_signature: z.string() }) }).optional(),
});
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string().min(1) }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string().min(1), z.array(z.looseObject({ type: z.string() }))]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    tool_calls: z.array(call).min(1).optional(),
    reasoning_content: z.string().optional(),
    reasoning: z.string().optional(),
    reasoning_details: z.array(z.looseObject({ type: z.string() })).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);
export type ChatMessage = z.infer<typeof message>;
type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

const request = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).optional(),
  max_completion_tokens: z.int().min(1).optional(),
  reasoning_effort: z.enum(['low', 'medium', 'high']).optional(),
  tools: z
    .array(z.strictObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }))
    .optional(),
  tool_choice: z.enum(['auto', 'none', 'required']).optional(),
  response_format: z
    .strictObject({
      type: z.literal('json_schema'),
      json_schema: z.strictObject({
        name: z.string(),
        schema: z.record(z.string(), z.unknown()),
        strict: z.boolean().optional(),
      }),
    })
    .optional(),
});
export type ChatRequest = z.infer<typeof request>;

/** How one kind of server differs from others of the same protocol. */
export interface ChatProfile {
  name: string;
  /** The answer of status 400 or more; null: it takes the request. */
  refuses?(asked: ChatRequest): { status: number; body: unknown } | null;
  /** How its thoughts are told, and wanted back with the calls that they led to. */
  thoughts?: 'reasoning_content' | 'reasoning_details' | 'signature' | 'think_tags';
  /** Whether own thoughts must come back, and steps of others have some, too. */
  wantsThoughts?: boolean;
  supports?: Json;
}

/** A server of the OpenAI protocol with the habits of one vendor. */
export class ChatDouble extends VendorDouble {
  constructor(private readonly profile: ChatProfile) {
    super(profile.name);
  }

  definition(): Json {
    return {
      value: this.name,
      base_url: `${this.origin}/v1`,
      api_key: 'k',
      supports: { reasoning: true, images: true, ...this.profile.supports },
    };
  }

  protected answer(body: Json, headers: IncomingHttpHeaders, url: string) {
    must(url === '/v1/chat/completions', 'not found', 404);
    must(headers.authorization === 'Bearer k', 'Incorrect API key provided', 401);
    const parsed = request.safeParse(body);
    if (!parsed.success) throw new Refusal(`Unrecognized request argument supplied: ${parsed.error.message}`);
    const asked = parsed.data;
    const refused = this.profile.refuses?.(asked) ?? null;
    if (refused) throw new ProfileRefusal(refused.status, refused.body);
    const format = asked.response_format?.json_schema;
    if (format?.strict === true) {
      const problem = strictProblem(format.schema);
      must(problem === null, `Invalid schema for response_format 'response': ${problem}`);
    }
    this.checkMessages(asked.messages);
    const done = asked.messages.filter(({ role }) => role === 'tool').length;
    const step = asked.tools ? stepAt(done) : { thought: 'Hm.', text: this.says, look: null };
    const delta = this.deltaOf(step);
    const usage = { prompt_tokens: 100, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 80 } };
    const reason = step.look === null ? 'stop' : 'tool_calls';
    if (!asked.stream)
      return json({
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: this.name,
        choices: [{ index: 0, message: { role: 'assistant', ...delta }, finish_reason: reason }],
        usage,
      });
    const chunk = (more: Json, end: string | null = null) => ({
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: this.name,
      choices: [{ index: 0, delta: more, finish_reason: end }],
    });
    const { content, tool_calls: calls, ...thoughts } = delta;
    const pieces = ((content as string | undefined) ?? '').match(/[\s\S]{1,7}/g) ?? [];
    return events([
      chunk({ role: 'assistant', content: '' }),
      chunk(thoughts),
      ...pieces.map((piece) => chunk({ content: piece })),
      ...(calls ? [chunk({ tool_calls: calls })] : []),
      chunk({}, reason),
      ...(asked.stream_options
        ? [{ id: 'x', object: 'chat.completion.chunk', created: 1, model: this.name, choices: [], usage }]
        : []),
      '[DONE]',
    ]);
  }

  private deltaOf({ thought, text, look }: Step): Json {
    const { thoughts } = this.profile;
    const args = JSON.stringify({ at: look, by: this.name });
    const extra = thoughts === 'signature' && {
      extra_content: { google: { thought_signature: signed(this.name, thought) } },
    };
    const calls =
      look === null
        ? {}
        : {
            tool_calls: [
              { index: 0, id: `call-${look}`, type: 'function', function: { name: 'look', arguments: args }, ...extra },
            ],
          };
    const told = thoughts === 'think_tags' ? `<think>${thought}</think>\n${text}` : text;
    return {
      ...(thoughts === 'reasoning_content' && { reasoning_content: thought }),
      ...(thoughts === 'reasoning_details' && {
        reasoning: thought,
        reasoning_details: [
          {
            type: 'reasoning.text',
            text: thought,
            signature: signed(this.name, thought),
            format: 'anthropic-claude-v1',
            index: 0,
          },
        ],
      }),
      ...(told !== '' && { content: told }),
      ...calls,
    };
  }

  private checkMessages(messages: readonly ChatMessage[]): void {
    messages.forEach((one, at) => {
      if (one.role !== 'assistant') return;
      const answers = messages.slice(at + 1).flatMap((next) => (next.role === 'tool' ? [next.tool_call_id] : []));
      for (const { id } of one.tool_calls ?? [])
        must(
          answers.includes(id),
          `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Missing: ${id}`,
        );
      if (one.tool_calls) this.checkThoughts(one, at);
    });
  }

  private checkThoughts(one: AssistantMessage, at: number): void {
    const { thoughts, wantsThoughts = false } = this.profile;
    const { by, at: look } = JSON.parse(one.tool_calls![0]!.function.arguments) as { by?: string; at: number };
    const isOwn = by === this.name;
    const thought = stepAt(look).thought;
    if (thoughts === 'reasoning_content' && wantsThoughts) {
      must(
        one.reasoning_content,
        `Missing \`reasoning_content\` field in the assistant message at message index ${at}.`,
      );
      must(!isOwn || one.reasoning_content === thought, `The reasoning of message ${at} is not what was written.`);
    }
    if (thoughts === 'reasoning_details' && isOwn) {
      const [detail, ...others] = one.reasoning_details ?? [];
      must(
        detail?.text === thought && detail.signature === signed(this.name, thought) && others.length === 0,
        `Invalid signature in thinking block of message ${at}.`,
      );
    }
    if (thoughts === 'signature') {
      const signature = one.tool_calls![0]!.extra_content?.google.thought_signature;
      must(signature, `Function call is missing a thought_signature in functionCall parts. position ${at}.`);
      must(!isOwn || signature === signed(this.name, thought), `Corrupted thought signature at position ${at}.`);
    }
    if (!isOwn)
      must(
        !JSON.stringify(one).includes('signature":"') || thoughts === 'signature',
        `Signature of another model in message ${at}.`,
      );
  }

  protected errorOf(error: unknown): unknown {
    if (error instanceof ProfileRefusal) return error.body;
    return {
      error: { message: error instanceof Error ? error.message : '', type: 'invalid_request_error', param: null },
    };
  }
}

class ProfileRefusal extends Refusal {
  constructor(
    status: number,
    readonly body: unknown,
  ) {
    super(JSON.stringify(body), status);
  }
}
