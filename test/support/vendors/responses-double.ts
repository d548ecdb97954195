import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { strictProblem } from './strict-rules.js';
import { events, json, must, Refusal, signed, stepAt, VendorDouble, type Json } from './vendor-double.js';

const item = z.looseObject({ type: z.string().optional(), role: z.string().optional() });
const request = z.strictObject({
  model: z.string(),
  input: z.array(item).min(1),
  store: z.literal(false, 'store: this organisation keeps nothing'),
  include: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
  max_output_tokens: z.int().min(16, 'max_output_tokens: integer below minimum value').optional(),
  reasoning: z.strictObject({ effort: z.enum(['low', 'medium', 'high']), summary: z.string().optional() }).optional(),
  tools: z.array(z.looseObject({ type: z.literal('function') })).optional(),
  tool_choice: z.unknown().optional(),
  text: z.looseObject({ format: z.looseObject({}).optional() }).optional(),
});

/** OpenAI's responses without storage: reasoning items come back encrypted, each before the call that it led to. */
export class ResponsesDouble extends VendorDouble {
  constructor() {
    super('responses');
  }

  definition(): Json {
    return {
      value: 'gpt-5',
      protocol: 'openai-responses',
      base_url: `${this.origin}/v1`,
      api_key: 'key-of-openai',
      supports: { reasoning: true, images: true },
    };
  }

  protected answer(body: Json, headers: IncomingHttpHeaders, url: string) {
    must(url === '/v1/responses', 'not found', 404);
    must(headers.authorization === 'Bearer key-of-openai', 'Incorrect API key provided', 401);
    must(body.temperature === undefined, "Unsupported parameter: 'temperature' is not supported with this model.");
    const parsed = request.safeParse(body);
    if (!parsed.success) throw new Refusal(parsed.error.message);
    const { input, tools, stream, text } = parsed.data;
    const { format } = text ?? {};
    if (format?.type === 'json_schema' && format.strict === true) {
      const problem = strictProblem(format.schema as Json);
      must(problem === null, `Invalid schema for response_format 'response': ${problem}`);
    }
    const outputs = input.filter(({ type }) => type === 'function_call_output').map((one) => one.call_id);
    input.forEach((one, at) => {
      if (one.type === 'reasoning') {
        must(
          typeof one.encrypted_content === 'string',
          `Item '${String(one.id)}' of type 'reasoning' was provided without its encrypted content.`,
        );
        must(
          input[at + 1]?.type === 'function_call' || input[at + 1]?.role === 'assistant',
          `Item '${String(one.id)}' of type 'reasoning' was provided without its required following item.`,
        );
      }
      if (one.type !== 'function_call') return;
      must(outputs.includes(one.call_id), `No tool output found for function call ${String(one.call_id)}.`);
      const { by, at: look } = JSON.parse(one.arguments as string) as { by: string; at: number };
      if (by !== this.name) return;
      const before = input.slice(0, at).findLast(({ type }) => type === 'reasoning' || type === 'function_call');
      const isOwn =
        before?.type === 'reasoning' && before.encrypted_content === signed(this.name, stepAt(look).thought);
      must(isOwn, `Item 'fc_${look}' of type 'function_call' was provided without its required 'reasoning' item.`);
    });
    const step = tools ? stepAt(outputs.length) : { thought: '', text: this.says, look: null };
    const items: Json[] = [];
    if (step.thought !== '')
      items.push({
        type: 'reasoning',
        id: `rs_${outputs.length}`,
        summary: [],
        encrypted_content: signed(this.name, step.thought),
      });
    if (step.text !== '')
      items.push({
        type: 'message',
        id: `msg_${outputs.length}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: step.text, annotations: [] }],
      });
    if (step.look !== null)
      items.push({
        type: 'function_call',
        id: `fc_${step.look}`,
        call_id: `call_${step.look}`,
        name: 'look',
        arguments: JSON.stringify({ at: step.look, by: this.name }),
        status: 'completed',
      });
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 80 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 3 },
    };
    const response = {
      id: 'resp',
      object: 'response',
      created_at: 1,
      model: 'gpt-5',
      output: items,
      usage,
      incomplete_details: null,
    };
    return stream ? events(streamOf(items, response), true) : json(response);
  }

  protected errorOf(error: unknown): unknown {
    const message = error instanceof Error ? error.message : '';
    return {
      error: {
        message,
        type: 'invalid_request_error',
        param: /'(temperature)'/.exec(message)?.[1] ?? null,
        code: null,
      },
    };
  }
}

function streamOf(items: readonly Json[], response: Json): Json[] {
  const list: Json[] = [{ type: 'response.created', response: { ...response, output: [] } }];
  items.forEach((one, index) => {
    const begun =
      one.type === 'function_call' ? { ...one, arguments: '' } : one.type === 'message' ? { ...one, content: [] } : one;
    list.push({ type: 'response.output_item.added', output_index: index, item: begun });
    if (one.type === 'message') {
      const [{ text }] = one.content as [{ text: string }];
      list.push({
        type: 'response.output_text.delta',
        item_id: one.id,
        output_index: index,
        content_index: 0,
        delta: text,
      });
    }
    if (one.type === 'function_call') {
      list.push({
        type: 'response.function_call_arguments.delta',
        item_id: one.id,
        output_index: index,
        delta: one.arguments,
      });
      list.push({
        type: 'response.function_call_arguments.done',
        item_id: one.id,
        output_index: index,
        arguments: one.arguments,
      });
    }
    list.push({ type: 'response.output_item.done', output_index: index, item: one });
  });
  return [...list, { type: 'response.completed', response }];
}
