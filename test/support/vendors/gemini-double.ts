import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { events, json, must, Refusal, signed, stepAt, VendorDouble, type Json } from './vendor-double.js';

const part = z.strictObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  inlineData: z.strictObject({ mimeType: z.string(), data: z.string() }).optional(),
  functionCall: z
    .strictObject({
      name: z.string(),
      args: z.looseObject({ by: z.string().optional(), at: z.number().optional() }),
      id: z.string().optional(),
    })
    .optional(),
  functionResponse: z
    .strictObject({ name: z.string(), response: z.record(z.string(), z.unknown()), id: z.string().optional() })
    .optional(),
});
const content = z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) });
const request = z.strictObject({
  contents: z.array(content).min(1),
  systemInstruction: z.strictObject({ parts: z.array(part) }).optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.int().optional(),
      temperature: z.number().min(0).max(2).optional(),
      responseMimeType: z.string().optional(),
      responseSchema: z.record(z.string(), z.unknown()).optional(),
      responseJsonSchema: z.record(z.string(), z.unknown()).optional(),
      thinkingConfig: z
        .strictObject({
          thinkingLevel: z.string().optional(),
          thinkingBudget: z.number().optional(),
          includeThoughts: z.boolean().optional(),
        })
        .optional(),
    })
    .optional(),
  tools: z.array(z.looseObject({})).optional(),
  toolConfig: z.looseObject({}).optional(),
});

/** Gemini 3: the first call of each step of the turn that is worked on carries the signature that it was given. */
export class GeminiDouble extends VendorDouble {
  constructor() {
    super('gemini');
  }

  definition(): Json {
    return {
      value: 'gemini-3-pro-preview',
      protocol: 'gemini',
      base_url: `${this.origin}/v1beta`,
      api_key: 'key-of-gemini',
      supports: { reasoning: true, images: true },
    };
  }

  protected answer(body: Json, headers: IncomingHttpHeaders, url: string) {
    must(headers['x-goog-api-key'] === 'key-of-gemini', 'API key not valid.', 401);
    const isStream = url.startsWith('/v1beta/models/gemini-3-pro-preview:streamGenerateContent');
    must(isStream || url.startsWith('/v1beta/models/gemini-3-pro-preview:generateContent'), 'not found', 404);
    const parsed = request.safeParse(body);
    if (!parsed.success) throw new Refusal(`Invalid JSON payload received. ${parsed.error.message}`);
    const { contents, tools } = parsed.data;
    const begin = contents.findLastIndex(
      ({ role, parts }) => role === 'user' && parts.some((one) => one.text !== undefined),
    );
    contents.forEach(({ role, parts }, at) => {
      const calls = parts.filter((one) => one.functionCall);
      const answers = (contents[at + 1]?.parts ?? []).filter((one) => one.functionResponse);
      if (role === 'model')
        must(
          calls.length === answers.length || calls.length === 0,
          'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
        );
      const [first] = calls;
      if (role !== 'model' || !first || at < begin) return;
      const { by, at: look } = first.functionCall!.args;
      const own = by === 'gemini' ? signed('gemini', stepAt(look!).thought) : 'skip_thought_signature_validator';
      must(
        first.thoughtSignature,
        `Function call is missing a thought_signature in functionCall parts. Function call \`default_api:look\`, position ${at}.`,
      );
      must(first.thoughtSignature === own, `Corrupted thought signature at position ${at}.`);
    });
    const done = contents.flatMap(({ parts }) => parts).filter((one) => one.functionResponse).length;
    const step = tools ? stepAt(done) : { thought: '', text: this.says, look: null };
    const parts: Json[] = [];
    if (step.thought !== '') parts.push({ text: step.thought, thought: true });
    if (step.text !== '') parts.push({ text: step.text });
    if (step.look !== null)
      parts.push({
        functionCall: { name: 'look', args: { at: step.look, by: this.name } },
        thoughtSignature: signed(this.name, step.thought),
      });
    const usageMetadata = {
      promptTokenCount: 100,
      candidatesTokenCount: 9,
      cachedContentTokenCount: 80,
      totalTokenCount: 109,
    };
    const chunk = (some: readonly Json[], reason?: string) => ({
      candidates: [
        { content: { role: 'model', parts: some }, index: 0, ...(reason !== undefined && { finishReason: reason }) },
      ],
      usageMetadata,
    });
    if (!isStream) return json(chunk(parts, 'STOP'));
    return events([...parts.map((one) => chunk([one])), chunk([{ text: '' }], 'STOP')]);
  }

  protected errorOf(error: unknown): unknown {
    return { error: { code: 400, message: error instanceof Error ? error.message : '', status: 'INVALID_ARGUMENT' } };
  }
}
