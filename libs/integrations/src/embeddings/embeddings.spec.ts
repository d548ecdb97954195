import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { BuiltinEmbeddings } from './builtin-embeddings.js';
import type { Embeddings } from './embeddings.port.js';
import { NoEmbeddings } from './no-embeddings.js';
import { OpenAiEmbeddings } from './openai-embeddings.js';
import { ThreadedEmbeddings } from './threaded-embeddings.js';
import { inAll } from '../../../../test/support/long.js';

const dot = (left: Float32Array, right: Float32Array) => left.reduce((sum, value, at) => sum + value * right[at]!, 0);

/** What every encoder has to pass. */
async function contract(embeddings: Embeddings) {
  const texts = ['the cat sat on the mat', 'a kitten was sitting', '', 'tax law of 1980'];
  const vectors = await embeddings.embed(texts);
  expect(vectors).toHaveLength(texts.length);
  expect(new Set(vectors.map(({ length }) => length)).size).toBe(1);
  for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 4);
  const [again] = await embeddings.embed([texts[0]!]);
  expect(dot(again!, vectors[0]!)).toBeCloseTo(1, 4);
  expect(await embeddings.embed([])).toEqual([]);
  const stopped = AbortSignal.abort(new Error('enough'));
  await expect(embeddings.embed(texts, stopped)).rejects.toThrow('enough');
  return vectors;
}

describe('Embeddings', () => {
  const batches: string[][] = [];
  let failures = 0;
  let server: Server;
  let baseUrl: string;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const { input } = (await json(request)) as { input: string[] };
      if (failures > 0) {
        failures--;
        response.writeHead(503).end('{}');
        return;
      }
      batches.push(input);
      const data = input.map((text, index) => ({
        object: 'embedding',
        index,
        embedding: [text.length, 1, text.charCodeAt(0) % 7],
      }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data, model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } }));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('come from an endpoint, in batches', async () => {
    const embeddings = new OpenAiEmbeddings({ baseUrl, model: 'm', timeoutSeconds: 5 });
    await contract(embeddings);
    batches.length = 0;
    const vectors = await embeddings.embed(Array.from({ length: 150 }, (_, at) => 'x'.repeat(at + 1)));
    expect([vectors.length, batches.map(({ length }) => length)]).toEqual([150, [64, 64, 22]]);
    expect(vectors[149]![0]! / vectors[149]![1]!).toBeCloseTo(150, 2);
  });

  it('survive an endpoint that is busy once', async () => {
    failures = 1;
    expect(await new OpenAiEmbeddings({ baseUrl, model: 'm', timeoutSeconds: 9 }).embed(['x'])).toHaveLength(1);
  });

  it('come from the built-in encoder, without a network', async () => {
    const [cat, kitten, , tax] = await contract(new BuiltinEmbeddings());
    expect(cat).toHaveLength(512);
    expect(dot(cat!, kitten!)).toBeGreaterThan(dot(cat!, tax!) + 0.2);
  });

  it('can be off', async () => {
    expect(new NoEmbeddings().enabled).toBe(false);
    await expect(new NoEmbeddings().embed()).rejects.toMatchObject({ code: 'embeddings_not_configured' });
  });

  inAll('are made in a thread that ends when nobody asks any more, and begins anew', async () => {
    const embeddings = new ThreadedEmbeddings(1);
    const vectors = await contract(embeddings);
    const [alone] = await new BuiltinEmbeddings().embed(['a kitten was sitting']);
    expect(dot(alone!, vectors[1]!)).toBeCloseTo(1, 4);
    await new Promise((later) => setTimeout(later, 50));
    const given = Promise.all([embeddings.embed(['one']), embeddings.embed(['two'])]);
    expect((await given).map(({ length }) => length)).toEqual([1, 1]);
    const lost = embeddings.embed(['three']);
    void embeddings.close();
    await expect(lost).rejects.toMatchObject({ code: 'model_error' });
  });
});
