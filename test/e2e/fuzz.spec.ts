import { startApi, type TestApi } from '../support/api.js';
import { HOSTILE_VALUES, seededRandom } from '../support/hostile-values.js';
import type { HttpClient } from '../support/http-client.js';

/** Requests per operation; more with ATRIUM_FUZZ, another course with ATRIUM_FUZZ_SEED. */
const ROUNDS = Number(process.env.ATRIUM_FUZZ ?? 25);
const SEED = Number(process.env.ATRIUM_FUZZ_SEED ?? 20_261_121);
const SLOW_MS = 5000;
/** They would end the session that the others use; their own tests cover them. */
const ENDS_SESSION = /\/auth\/logout/;
/** May come from any route, without being written down at each. */
const ANYWHERE = new Set([400, 401, 404, 405, 411, 413, 414, 415, 431]);

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
}
interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, unknown>;
}
interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
/** For a URL, which takes no lone surrogates. */
const inUrl = (value: unknown, length: number) =>
  encodeURIComponent(
    text(value)
      .replaceAll(/\p{Surrogate}/gu, '\ufffd')
      .slice(0, length)
      .replace(/[\ud800-\udbff]$/, ''),
  );

describe('every route under hostile input', () => {
  let api: TestApi;
  let client: HttpClient;
  let description: Description;
  beforeAll(async () => {
    api = await startApi({ LOG_LEVEL: 'fatal' });
    // Chats wait for somebody who answers.
    await api.startRunner();
    client = await api.signUp();
    description = await client.get<Description>('/openapi.json');
  });
  afterAll(() => api.stop(), 20_000);

  const random = seededRandom(SEED);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;

  function fieldsOf(operation: Operation): string[] {
    const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
    const resolved = schema?.$ref ? description.components.schemas[schema.$ref.split('/').at(-1)!] : schema;
    return Object.keys(resolved?.properties ?? {});
  }

  function hostilePath(path: string, operation: Operation): string {
    const filled = path.replaceAll(/\{[^}]+\}/g, () => inUrl(pick(HOSTILE_VALUES), 300));
    const queries = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const chosen = [...queries.map(({ name }) => name), 'page', 'unknown[]'].filter(() => random() < 0.4);
    const query = chosen.map((name) => `${name}=${inUrl(pick(HOSTILE_VALUES), 500)}`).join('&');
    return query === '' ? filled : `${filled}?${query}`;
  }

  function hostileBody(fields: string[]): { body: string | FormData; type: string | null } {
    const course = random();
    if (course < 0.1) return { body: pick(['{', '[1,', '\u0000', '"', '{"a":1}}', '']), type: 'application/json' };
    if (course < 0.15) return { body: JSON.stringify(pick(HOSTILE_VALUES)), type: 'application/json' };
    if (course < 0.2)
      return {
        body: 'x',
        type: pick(['text/plain', 'application/xml', 'multipart/form-data', 'multipart/form-data; boundary=b']),
      };
    const values = Object.fromEntries(
      [...fields, 'unknown'].filter(() => random() < 0.7).map((name) => [name, pick(HOSTILE_VALUES)]),
    );
    if (course < 0.8) return { body: JSON.stringify(values), type: 'application/json' };
    if (course < 0.9)
      return {
        body: new URLSearchParams(
          Object.entries(values).map(([name, value]): [string, string] => [name, text(value)]),
        ).toString(),
        type: 'application/x-www-form-urlencoded',
      };
    const form = new FormData();
    for (const [name, value] of Object.entries(values)) {
      if (random() < 0.3) form.append(name, new File([text(value)], pick(['a.txt', 'b.pdf', '../c.png', 'd'])));
      else form.append(name, text(value));
    }
    return { body: form, type: null };
  }

  async function attack(method: string, path: string, operation: Operation): Promise<string | null> {
    const target = hostilePath(path, operation);
    const headers: Record<string, string> = {};
    const signedIn = random() < 0.8;
    if (signedIn) headers.authorization = `Token ${client.token}`;
    if (random() < 0.1)
      headers['idempotency-key'] = pick(['k', 'ключ', 'x'.repeat(300), '']).replaceAll(/[^\x20-\x7e]/g, '?');
    if (random() < 0.1) headers['x-request-id'] = 'x'.repeat(200);
    const sends = !['GET', 'HEAD', 'DELETE'].includes(method);
    const { body, type } = sends ? hostileBody(fieldsOf(operation)) : { body: undefined, type: null };
    if (type) headers['content-type'] = type;
    const about = `${method} ${target.slice(0, 200)} ${typeof body === 'string' ? body.slice(0, 300) : (type ?? '')}`;
    const started = performance.now();
    const init = { method, headers, ...(body === undefined ? {} : { body }), redirect: 'manual' } as const;
    const response = await fetch(api.baseUrl + target, init).catch(
      (error: Error) => `no answer, ${String(error.cause)}`,
    );
    if (typeof response === 'string') return `${about}: ${response}`;
    const answer = await response.text();
    const documented = ANYWHERE.has(response.status) || String(response.status) in operation.responses;
    if (response.status === 500 || !documented) return `${about}: ${response.status} ${answer.slice(0, 300)}`;
    if (performance.now() - started > SLOW_MS) return `${about}: slow`;
    if (response.status >= 400 && method !== 'HEAD' && !isErrorBody(answer))
      return `${about}: ${response.status} with ${answer.slice(0, 200)}`;
    return null;
  }

  it(
    'is answered in order: never a 500, always an error of the documented kind',
    async () => {
      const complaints: string[] = [];
      for (const [path, operations] of Object.entries(description.paths)) {
        if (ENDS_SESSION.test(path)) continue;
        for (const [method, operation] of Object.entries(operations)) {
          let complaint: string | null = null;
          for (let round = 0; round < ROUNDS && complaint === null; round++)
            complaint = await attack(method.toUpperCase(), path, operation);
          if (complaint) complaints.push(complaint);
        }
      }
      expect(complaints).toEqual([]);
    },
    60_000 + ROUNDS * 2000,
  );
});

/** `detail`, `error` or `message` with text, field keys with lists of messages, or an error of JSON-RPC. */
function isErrorBody(answer: string): boolean {
  try {
    const body: unknown = JSON.parse(answer);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
    const { detail, error, message, ...fields } = body as Record<string, unknown>;
    if (fields.jsonrpc === '2.0') return typeof (error as { code?: unknown } | undefined)?.code === 'number';
    if ([detail, error, message].some((words) => typeof words === 'string' && words !== '')) return true;
    return Object.values(fields).some((messages) => Array.isArray(messages) && messages.length > 0);
  } catch {
    return false;
  }
}
