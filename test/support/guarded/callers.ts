import { Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { tmpdir } from 'node:os';
import { type DatabaseType, openSession } from '@app/data-sources';
import {
  EgressGuard,
  GuardedFetch,
  type LanguageModel,
  listOfferedModels,
  NativeLanguageModel,
  OpenAiLanguageModel,
  type SourceAccess,
  SourceConnectors,
} from '@app/integrations';
import { type AuthorizedServer, McpAuthorization, McpConnector, type TransportKind } from '@app/mcp';
import type { ToolContext } from '@app/workflow-definition';
import { toolCatalogue } from '@app/workflow-tools';
import { RemoteFileIntake } from '../../../apps/workflow-runner/src/webhook-files/remote-file-intake.js';

/** One way in which a user makes Atrium call an address: settles when the call was made, rejects when it was refused. */
export type Caller = (address: string) => Promise<unknown>;

/** What the guard asks in tests: the name server of the test, for names of all kinds. */
export function resolverAt(server: string): (name: string) => Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([server]);
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
      ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
    ];
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
    return found;
  };
}

function cameThrough(): never {
  throw new Error('The call came through.');
}

/** Anything that is asked of it fails: a call that was refused has no use for it. */
function untouched<T extends object>(): T {
  return new Proxy({}, { get: cameThrough }) as T;
}

function contextOf(http: GuardedFetch): ToolContext {
  return {
    signal: AbortSignal.timeout(3000),
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
    http,
  };
}

async function runNode(http: GuardedFetch, kind: string, params: Record<string, unknown>): Promise<unknown> {
  const tool = toolCatalogue.find(kind);
  if (!tool) throw new Error(`There is no node ${kind}.`);
  return tool.run({ max_retries: 0, timeout_seconds: 2, ...params }, contextOf(http));
}

async function testSource(guard: EgressGuard, access: SourceAccess): Promise<void> {
  const settings = { folders: [], maxRows: 10, graphUrl: 'https://graph.example', loginUrl: 'https://login.example' };
  const connector = new SourceConnectors({ ...settings, guard }).open(access);
  await connector.test(AbortSignal.timeout(3000)).finally(() => connector.close());
}

class NoSignIn extends McpAuthorization {
  async headersFor() {
    return {};
  }

  async renew() {
    return false;
  }
}

async function connectServer(guard: EgressGuard, url: string, transport: TransportKind): Promise<void> {
  const server: AuthorizedServer = { id: null, userId: 1, url, authType: 'none', authHeaderName: '', secret: null };
  const connector = new McpConnector(new NoSignIn(), { hosts: [], guard });
  await connector.open(server, { signal: AbortSignal.timeout(3000), transport, listens: true });
}

const ASKED = { messages: [{ role: 'user' as const, content: 'Hello?' }] };

const stream = async (model: LanguageModel) => {
  const parts = [];
  for await (const part of model.streamStep({ ...ASKED, tools: [] })) parts.push(part);
  return parts;
};

/** Models that people register: streamed, whole, and in a vendor's own protocol. */
function modelCallers(guard: EgressGuard): Record<string, Caller> {
  const options = (baseUrl: string) => ({
    baseUrl,
    model: 'm',
    apiKey: 'secret',
    timeouts: { totalSeconds: 2 },
    guard,
  });
  const native = (url: string) => new NativeLanguageModel({ ...options(url), protocol: 'anthropic' });
  return {
    'model streamed': async (url) => stream(new OpenAiLanguageModel(options(url))),
    'model whole': async (url) => new OpenAiLanguageModel(options(url)).generate(ASKED),
    'model of a vendor streamed': async (url) => stream(native(url)),
    'model of a vendor whole': async (url) => native(url).generate(ASKED),
    'models listed': async (baseUrl) =>
      listOfferedModels(
        { protocol: 'openai', baseUrl, apiKey: 'secret', headers: {}, guard },
        AbortSignal.timeout(2000),
      ),
  };
}

/** Everybody who calls an address of a user's choice, over one guard. */
export function callersOf(guard: EgressGuard): Record<string, Caller> {
  const http = new GuardedFetch(guard);
  const limits = { folder: tmpdir(), maxBytes: 500_000 };
  const intake = new RemoteFileIntake(http, untouched(), untouched(), untouched(), untouched(), limits);
  const claim = untouched<Parameters<RemoteFileIntake['take']>[0]>();
  return {
    ...modelCallers(guard),
    fetch: (url) => http.request(url, { timeoutMs: 1500, maxBytes: 500_000 }).then((response) => response.text()),
    'node http_request': (url) => runNode(http, 'http_request', { url }),
    'token of node http_request': (url) =>
      runNode(http, 'http_request', {
        url: 'https://unknown.example/',
        auth: 'oauth2',
        token_url: url,
        client_id: 'client',
        client_secret: 'a secret of the client',
      }),
    'node webhook_out': (url) =>
      runNode(http, 'webhook_out', { url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`, data: {} }),
    file_urls: (url) => intake.take(claim, { position: 0, url }, AbortSignal.timeout(3000)),
    'tool server': (url) => connectServer(guard, url, 'streamable_http'),
    'tool server of old': (url) => connectServer(guard, url, 'sse'),
    'source s3': (endpoint) => {
      const config = { endpoint, bucket: 'bucket', access_key_id: 'key' };
      return testSource(guard, { type: 's3', config, secret: 'secret' });
    },
  };
}

/** Sources in databases name a host and a port instead of an address. */
function databaseCaller(guard: EgressGuard, port: number): Caller {
  return (host) => {
    const config = { host, port, database: 'db', user: 'user', tables: ['t'] };
    return testSource(guard, { type: 'sql', config, secret: 'secret' });
  };
}

/** Connected databases, too. */
function dataSourceCaller(guard: EgressGuard, port: number, type: DatabaseType): Caller {
  return async (host) => {
    const source = { id: 1, revision: 0, type, host, port, database: 'db', username: 'user', secret: 'secret' };
    const signal = AbortSignal.timeout(3000);
    const session = await openSession({ ...source, sslMode: 'disable', schemas: [] }, guard, signal);
    await session.end();
  };
}

/** Everybody who calls a host of a user's choice. */
export function hostCallersOf(guard: EgressGuard, port: number): Record<string, Caller> {
  return {
    'source sql': databaseCaller(guard, port),
    'data source postgres': dataSourceCaller(guard, port, 'postgres'),
    'data source mysql': dataSourceCaller(guard, port, 'mysql'),
  };
}
