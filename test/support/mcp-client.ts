import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { HttpClient } from './http-client.js';

/** An API token of the client's account. */
export async function apiToken(client: HttpClient, scopes: string[]): Promise<string> {
  return (await client.post<{ token: string }>('/users/api-tokens/', { name: 'mcp', scopes })).token;
}

/** A client of the SDK, signed in by a token. */
export async function connectMcp(baseUrl: string, token: string, path = '/mcp/'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(path, baseUrl), { requestInit });
  await client.connect(transport as Transport);
  return client;
}

/** What a tool gives; throws what it says of a failure. */
export async function callTool<T = Record<string, unknown>>(
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
  options: Parameters<Client['callTool']>[2] = {},
): Promise<T> {
  const result = (await client.callTool({ name, arguments: given }, undefined, options)) as CallToolResult;
  if (result.isError) throw new Error(result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
  return result.structuredContent as T;
}

export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The messages in it, whether they came as JSON or as events. */
  messages: { id?: unknown; result?: Record<string, unknown>; error?: { code: number; message: string } }[];
}

/** Any body to the endpoint, as a client without a library would send it. */
export async function postMcp(
  baseUrl: string,
  body: unknown,
  headers: Record<string, string> = {},
  path = '/mcp/',
): Promise<RawAnswer> {
  const response = await fetch(new URL(path, baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const parsed = isEvents
    ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!) as unknown)
    : text.startsWith('{') || text.startsWith('[')
      ? [JSON.parse(text) as unknown].flat()
      : [];
  return { status: response.status, headers: response.headers, text, messages: parsed as RawAnswer['messages'] };
}
