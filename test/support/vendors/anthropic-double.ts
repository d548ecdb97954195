import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { events, json, must, Refusal, signed, stepAt, VendorDouble, type Json } from './vendor-double.js';

const cache = z.strictObject({ type: z.literal('ephemeral'), ttl: z.string().optional() }).optional();
const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1), cache_control: cache });
const thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  cache_control: cache,
});
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.unknown(),
  is_error: z.boolean().optional(),
  cache_control: cache,
});
const file = z.looseObject({ type: z.enum(['image', 'document']) });
const block = z.union([text, thinking, toolUse, toolResult, file]);
type Block = z.infer<typeof block>;

const request = z.strictObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) })).min(1),
  system: z.array(text).optional(),
  temperature: z.number().min(0).max(1).optional(),
  thinking: z.looseObject({ type: z.enum(['enabled', 'disabled', 'adaptive']) }).optional(),
  tools: z
    .array(z.looseObject({ name: z.string(), input_schema: z.looseObject({ type: z.literal('object') }) }))
    .optional(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
  output_config: z.looseObject({}).optional(),
  stream: z.boolean().optional(),
});

/** Anthropic's messages: signed thinking comes back unmodified, and before each call while thinking is on. */
export class AnthropicDouble extends VendorDouble {
  /** Newer models: temperature is deprecated. */
  refusesTemperature = false;

  constructor() {
    super('anthropic');
  }

  definition(): Json {
    return {
      value: 'claude-sonnet-4-5',
      protocol: 'anthropic',
      base_url: `${this.origin}/v1`,
      api_key: 'key-of-anthropic',
      supports: { reasoning: true, images: true },
    };
  }

  protected answer(body: Json, headers: IncomingHttpHeaders, url: string) {
    must(url === '/v1/messages', 'not_found', 404);
    must(headers['x-api-key'] === 'key-of-anthropic', 'invalid x-api-key', 401);
    must(headers['anthropic-version'], 'anthropic-version: header is required');
    const parsed = request.safeParse(body);
    if (!parsed.success) throw new Refusal(parsed.error.message);
    const asked = parsed.data;
    must(!(this.refusesTemperature && asked.temperature !== undefined), '`temperature` is deprecated for this model.');
    const { messages } = asked;
    const isThinking = asked.thinking?.type === 'enabled' || asked.thinking?.type === 'adaptive';
    must(!isThinking || (asked.temperature ?? 1) === 1, '`temperature` may only be set to 1 when thinking is enabled.');
    must(
      !(isThinking && asked.tool_choice?.type === 'any'),
      'Thinking may not be enabled when tool_choice forces tool use.',
    );
    const marks = JSON.stringify(body).split('"cache_control"').length - 1;
    must(marks <= 4, `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
    must(messages[0]!.role === 'user', 'messages: first message must use the "user" role');
    messages.forEach(({ role, content }, at) => {
      must(
        at === 0 || messages[at - 1]!.role !== role,
        'messages: roles must alternate between "user" and "assistant"',
      );
      if (role === 'assistant') checkSteps(content, messages[at + 1]?.content ?? [], isThinking, at);
      else checkResults(content, messages[at - 1]?.content ?? [], at);
    });
    const done = messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result').length;
    return asked.stream ? this.streamed(asked.tools ? stepAt(done) : null, isThinking) : this.whole();
  }

  private streamed(step: ReturnType<typeof stepAt> | null, isThinking: boolean) {
    const list: Json[] = [
      {
        type: 'message_start',
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'claude',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...USAGE, output_tokens: 1 },
        },
      },
    ];
    let index = 0;
    const add = (start: Json, ...deltas: Json[]) => {
      list.push({ type: 'content_block_start', index, content_block: start });
      for (const delta of deltas) list.push({ type: 'content_block_delta', index, delta });
      list.push({ type: 'content_block_stop', index });
      index += 1;
    };
    const { thought, text: said, look } = step ?? { thought: '', text: this.says, look: null };
    if (isThinking && thought !== '') {
      const [half, rest] = [thought.slice(0, 4), thought.slice(4)];
      add(
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: half },
        { type: 'thinking_delta', thinking: rest },
        { type: 'signature_delta', signature: signed(this.name, thought) },
      );
    }
    if (said !== '') add({ type: 'text', text: '' }, { type: 'text_delta', text: said });
    if (look !== null)
      add(
        { type: 'tool_use', id: `toolu_${look}`, name: 'look', input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify({ at: look, by: this.name }) },
      );
    list.push(
      {
        type: 'message_delta',
        delta: { stop_reason: look === null ? 'end_turn' : 'tool_use', stop_sequence: null },
        usage: { output_tokens: 9 },
      },
      { type: 'message_stop' },
    );
    return events(list, true);
  }

  private whole() {
    return json({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [{ type: 'text', text: this.says }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { ...USAGE, output_tokens: 9 },
    });
  }

  protected errorOf(error: unknown): unknown {
    return {
      type: 'error',
      error: { type: 'invalid_request_error', message: error instanceof Error ? error.message : '' },
    };
  }
}

const USAGE = { input_tokens: 10, cache_read_input_tokens: 80, cache_creation_input_tokens: 10 };

function checkSteps(content: readonly Block[], next: readonly Block[], isThinking: boolean, at: number): void {
  const calls = content.filter((one): one is z.infer<typeof toolUse> => one.type === 'tool_use');
  const answered = next.flatMap((one) =>
    one.type === 'tool_result' ? [(one as z.infer<typeof toolResult>).tool_use_id] : [],
  );
  for (const { id } of calls)
    must(
      answered.includes(id),
      `messages.${at}: tool_use ids were found without tool_result blocks immediately after: ${id}`,
    );
  for (const one of content)
    if (one.type === 'thinking') {
      const { thinking: thought, signature } = one as z.infer<typeof thinking>;
      must(signature === signed('anthropic', thought), `messages.${at}: Invalid \`signature\` in \`thinking\` block`);
    }
  if (!isThinking || calls.length === 0) return;
  must(
    content[0]!.type === 'thinking',
    `messages.${at}: Expected \`thinking\` or \`redacted_thinking\`, but found \`${content[0]!.type}\`.`,
  );
}

function checkResults(content: readonly Block[], before: readonly Block[], at: number): void {
  const ids = before.flatMap((one) => (one.type === 'tool_use' ? [(one as z.infer<typeof toolUse>).id] : []));
  const results = content.filter((one): one is z.infer<typeof toolResult> => one.type === 'tool_result');
  for (const { tool_use_id: id } of results)
    must(ids.includes(id), `messages.${at}: unexpected \`tool_use_id\` found: ${id}`);
}
