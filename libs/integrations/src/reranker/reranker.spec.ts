import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EndpointReranker } from './endpoint-reranker.js';

const scored = (...scores: number[]) => ({
  body: { results: scores.map((relevance_score, index) => ({ index, relevance_score })).toReversed() },
});

describe('EndpointReranker', () => {
  let server: Server;
  let seen: { path: string | undefined; authorization: string | undefined; body: unknown };
  let answer: { status?: number; body?: unknown; silent?: boolean };
  let reranker: EndpointReranker;

  beforeAll(async () => {
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (piece: Buffer) => (text += piece.toString()));
      request.on('end', () => {
        const { authorization } = request.headers;
        seen = { path: request.url, authorization, body: JSON.parse(text) };
        if (answer.silent) return;
        response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer.body));
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}/v1/`;
    reranker = new EndpointReranker({ baseUrl, apiKey: 'key', model: 'rr', timeoutSeconds: 1 });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('asks for all passages and gives the scores in their order', async () => {
    answer = scored(0.1, 0.9);
    expect(await reranker.rerank('q', ['a', 'b'])).toEqual([0.1, 0.9]);
    expect(seen).toEqual({
      path: '/v1/rerank',
      authorization: 'Bearer key',
      body: { model: 'rr', query: 'q', documents: ['a', 'b'], top_n: 2 },
    });
  });

  it('squeezes logits into 0 to 1, in their order', async () => {
    answer = scored(-2, 4);
    const [low, high] = await reranker.rerank('q', ['a', 'b']);
    expect(low! > 0 && low! < high! && high! < 1).toBe(true);
  });

  it.each([
    ['an error', { status: 500, body: {} }],
    ['a missing passage', scored(0.5)],
    [
      'a passage that was not asked about',
      {
        body: {
          results: [
            { index: 7, relevance_score: 1 },
            { index: 0, relevance_score: 1 },
          ],
        },
      },
    ],
    ['something else', { body: { hello: 'world' } }],
  ])('takes %s for a failure', async (_, given) => {
    answer = given;
    await expect(reranker.rerank('q', ['a', 'b'])).rejects.toMatchObject({ code: 'reranker_error' });
  });

  it('gives up on silence, and when its caller does', async () => {
    answer = { silent: true };
    await expect(reranker.rerank('q', ['a'])).rejects.toMatchObject({ code: 'reranker_timeout' });
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(reranker.rerank('q', ['a'], gone)).rejects.toThrow('gone');
  });
});
