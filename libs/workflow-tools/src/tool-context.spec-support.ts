import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EgressGuard, GuardedFetch } from '@app/integrations';
import { type Tool, type ToolContext, ToolError, type ToolResult } from '@app/workflow-definition';
import { expectPromisedOutput } from './testing/expect-output.spec-support.js';

/** What a node kind is given, with nothing behind it but what a test puts there. */
export function toolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    runId: 'run',
    nodeId: 'node',
    attempt: 1,
    idempotencyKey: 'run:node',
    viewer: { userId: 1 },
    next: [],
    resume: null,
    payload: null,
    now: () => Date.now(),
    sleep: () => Promise.resolve(),
    progress: () => undefined,
    log: { info: () => undefined, warn: () => undefined },
    ...overrides,
  };
}

export async function runTool(
  tool: Tool,
  params: Record<string, unknown>,
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  const result = await tool.run(params, toolContext(context));
  expectPromisedOutput(tool, result);
  return result;
}

export async function outputOf<T = Record<string, unknown>>(
  tool: Tool,
  params: Record<string, unknown>,
  context: Partial<ToolContext> = {},
): Promise<T> {
  const result = await runTool(tool, params, context);
  if (!('output' in result)) throw new Error(`The tool waits: ${JSON.stringify(result.wait)}`);
  return result.output as T;
}

export async function errorOf(
  tool: Tool,
  params: Record<string, unknown>,
  context: Partial<ToolContext> = {},
): Promise<ToolError> {
  const error = await runTool(tool, params, context).catch((thrown: unknown) => thrown);
  if (!(error instanceof ToolError)) throw new Error(`Expected a ToolError, got ${JSON.stringify(error)}`);
  return error;
}

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export interface TestHost {
  url: string;
  /** `127.0.0.1:<port>`. */
  host: string;
  received: Received[];
  close(): Promise<void>;
}

/** A real server that keeps what it was sent. */
export async function startHost(
  answer: (request: Received, response: ServerResponse, count: number) => void,
): Promise<TestHost> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, path: url, headers, body: Buffer.concat(chunks) };
      received.push(one);
      answer(one, response, received.length);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    received,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

/** The guarded way out, for which these hosts belong to the deployment's own network. */
export function guardedHttp(...allowedHosts: string[]): GuardedFetch {
  return new GuardedFetch(new EgressGuard({ allowedHosts }));
}

export async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !isTrue(); tries += 1) await new Promise((done) => setTimeout(done, 10));
  if (!isTrue()) throw new Error('It did not come about within 5 s.');
}
