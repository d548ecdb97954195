import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hash } from 'node:crypto';
import { loadConfig } from '@app/config';
import type { ImageGeneration } from '@app/integrations';
import { createImageGeneration } from './create-models.js';
import type { MeteredCall, UsageLedger } from './metering/usage-ledger.js';
import { PriceBook } from './prices/price-book.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const refuse = (message: string, code: string | null, param: string | null = null) => ({
  error: { message, code, param, type: 'invalid_request_error' },
});

const bodies: Record<string, unknown>[] = [];
let answer: unknown;

/** As gpt-image-1 does. */
async function reply(request: IncomingMessage) {
  let text = '';
  for await (const piece of request) text += String(piece);
  const body = JSON.parse(text) as Record<string, unknown>;
  bodies.push(body);
  if (request.url !== '/v1/images/generations' || request.headers.authorization !== 'Bearer k')
    return { status: 401, body: {} };
  if (body.response_format !== undefined)
    return {
      status: 400,
      body: refuse("Unknown parameter: 'response_format'.", 'unknown_parameter', 'response_format'),
    };
  if (String(body.prompt).includes('weapon'))
    return { status: 400, body: refuse('Your request was rejected by the safety system.', 'moderation_blocked') };
  return { status: 200, body: answer };
}

/** OpenAI's images, as gpt-image-1 has them: `response_format` is unknown, sizes are its own. */
describe('a model that makes pictures', () => {
  const recorded: MeteredCall[] = [];
  let server: Server;
  let pictures: ImageGeneration;
  beforeAll(async () => {
    server = createServer(
      (request, response) =>
        void reply(request).then(({ status, body }) =>
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
        ),
    );
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const { models } = loadConfig({
      DATABASE_URL: 'postgres://localhost/atrium',
      REDIS_URL: 'redis://localhost',
      SECRETS_KEY: hash('sha256', 'a key of tests', 'base64'),
      LLM_MODELS: JSON.stringify([
        { id: 1, name: 'Chat', value: 'chat', base_url: base },
        {
          id: 2,
          name: 'Painter',
          value: 'gpt-image-1',
          base_url: base,
          api_key: 'k',
          capability: 'image_gen',
          price: { input: 5, output: 40, picture: 0.04 },
        },
      ]),
    });
    pictures = createImageGeneration(models, {
      prices: new PriceBook('USD'),
      record: (call: MeteredCall) => recorded.push(call),
    } as unknown as UsageLedger);
  });
  afterAll(() => void server.close());

  it('is asked again without what it refuses, once, and its pictures have a price', async () => {
    answer = { data: [{ b64_json: PNG.toString('base64') }], usage: { input_tokens: 12, output_tokens: 1000 } };
    const usage = { userId: 7, purpose: 'picture' };
    expect(await pictures.make({ prompt: 'A pump', shape: 'landscape', usage })).toMatchObject({
      mediaType: 'image/png',
      model: 'gpt-image-1',
      usage: { promptTokens: 12, completionTokens: 1000, cost: 0.04 },
    });
    await pictures.make({ prompt: 'A valve' });
    expect(bodies.map(({ size, response_format: format }) => [size, format])).toEqual([
      ['1536x1024', 'b64_json'],
      ['1536x1024', undefined],
      ['1024x1024', undefined],
    ]);
    expect(recorded[0]).toMatchObject({
      modelId: 2,
      context: usage,
      outcome: 'completed',
      usage: { promptTokens: 12, completionTokens: 1000, cost: 0.04 },
    });
  });

  it('does not follow addresses, and says what it does not want to make', async () => {
    answer = { data: [{ url: 'http://169.254.169.254/latest' }] };
    await expect(pictures.make({ prompt: 'A pump' })).rejects.toMatchObject({ code: 'model_error' });
    answer = { data: [{ b64_json: Buffer.from('<svg onload=alert(1)>').toString('base64') }] };
    await expect(pictures.make({ prompt: 'A pump' })).rejects.toMatchObject({ code: 'model_error' });
    await expect(pictures.make({ prompt: 'A weapon' })).rejects.toMatchObject({ code: 'picture_refused' });
    await expect(pictures.make({ prompt: ' ' })).rejects.toMatchObject({ code: 'invalid_prompt' });
  });

  it('is not there where none is configured', async () => {
    const none = createImageGeneration({ list: [] }, {} as UsageLedger);
    expect(none.available).toBe(false);
    await expect(none.make({ prompt: 'x' })).rejects.toMatchObject({ code: 'image_model_not_configured' });
  });
});
