import { Readable } from 'node:stream';
import type { HttpRequest } from '@app/workflow-definition';
import { StayingHttp } from './staying-http.js';

const request: HttpRequest = {
  method: 'GET',
  headers: {},
  signal: new AbortController().signal,
  timeoutMs: 1_000,
  maxBytes: 1_000,
  maxRedirects: 3,
};

it('tells a model where a host leads, and does not go there', async () => {
  const asked: unknown[] = [];
  const http = new StayingHttp({
    request: (address, { staysAtHost }) => {
      asked.push([String(address), staysAtHost]);
      const url = new URL(address);
      const location = url.pathname === '/go' ? '//evil.example/?q=1' : undefined;
      return Promise.resolve({ status: location ? 302 : 200, headers: { location }, url, body: Readable.from([]) });
    },
  });
  await expect(http.request('https://acme.example/go', request)).rejects.toMatchObject({
    code: 'redirects_elsewhere',
    retryable: false,
    message: expect.stringContaining('https://evil.example/?q=1') as string,
  });
  expect((await http.request('https://acme.example/', request)).status).toBe(200);
  expect(asked).toEqual([
    ['https://acme.example/go', true],
    ['https://acme.example/', true],
  ]);
});
