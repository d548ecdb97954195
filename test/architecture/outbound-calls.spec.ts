import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Every address that a user can choose is called through the guarded fetcher, and nothing else calls out but to what
 * the deployment names. A new line here needs a reason of that kind.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  'libs/integrations/src/guarded-fetch/guarded-fetch.ts': 'the guarded fetcher itself',
  'libs/integrations/src/guarded-fetch/guarded-agents.ts': 'its agents',
  'libs/integrations/src/guarded-fetch/egress-guard.ts': 'its resolver',
  'libs/integrations/src/sources/s3/s3-connector.ts':
    "S3 of users: over the guard's agents, its address checked before",
  'libs/integrations/src/sources/sql/read-only-session.ts': 'databases of users: to an address that the guard resolved',
  'libs/integrations/src/sources/sql/postgres-failure.ts': 'a class of errors',
  'libs/integrations/src/sources/sql/describe-table.ts': 'quotes names',
  'libs/data-sources/src/sessions/open-socket.ts': 'databases of users: to an address that the guard resolved',
  'libs/data-sources/src/sessions/postgres/postgres-session.ts': 'the same address',
  'libs/data-sources/src/sessions/postgres/postgres-failure.ts': 'a class of errors',
  'libs/data-sources/src/sessions/mysql/mysql-session.ts': 'over the socket of open-socket',
  'libs/data-sources/src/sessions/mysql/mysql-cells.ts': 'numbers of types',
  'libs/integrations/src/file-storage/s3-client.ts': 'the storage of the deployment',
  'libs/integrations/src/file-storage/s3.storage.ts': 'the storage of the deployment',
  'libs/integrations/src/sms/twilio-sms.ts': 'the SMS service that the deployment names',
  'libs/integrations/src/mail/smtp-mail.ts': 'the mail server that the deployment names',
  'libs/integrations/src/mail/outbox-mail.ts': 'writes mails, calls nobody',
  'libs/integrations/src/antivirus/clamd-protocol.ts': 'the scanner that the deployment names',
  'libs/integrations/src/payments/stripe/stripe-client.ts': 'Stripe, or what the deployment names in its place',
  'libs/integrations/src/reranker/endpoint-reranker.ts': 'the reranker that the deployment names',
  'libs/integrations/src/extractor/http-extractor-service.ts': 'the extractor that the deployment names',
  'libs/dedicated-agent/src/hermes/hermes-client.ts': 'the gateway of agents that the deployment names',
  'libs/integrations/src/embeddings/openai-embeddings.ts': 'the embeddings that the deployment names',
  'libs/entities/src/deadline-client.ts': 'the database of the deployment',
  'libs/auth/src/sso/domain-proof.ts': 'asks the name servers of the deployment for TXT records',
  'apps/api/src/sso/sso.module.ts': 'the same resolver',
  'libs/auth/src/sso/oidc/provider-fetch.ts': 'issuers, which only the deployment and its operator name',
  'libs/auth/src/sso/oidc/provider-configurations.ts': 'issuers, over provider-fetch',
  'libs/auth/src/sso/oidc/oidc-client.ts': 'issuers, over provider-fetch',
  'libs/auth/src/sso/oidc/oidc-errors.ts': 'classes of errors',
  'apps/api/src/live/live-socket.ts': 'sockets of clients that came to us',
  'libs/isolation/src/child/closed-network.ts': 'takes the network away',
};

/** Models are called by the addresses that the deployment names. */
const MODELS = /^libs\/(integrations\/src\/language-model|models\/src)\//;

const CALLING_MODULES =
  /^(?:node:)?(?:https?|http2|net|tls|dgram|dns|dns\/promises)$|^(?:undici|axios|got|ky|node-fetch|superagent|request|ws|eventsource|nodemailer|pg|mysql2|openai|stripe|openid-client|oauth4webapi|@smithy\/.+|@aws-sdk\/.+|@ai-sdk\/.+|@modelcontextprotocol\/(?:sdk\/)?client.*)(?:\/.+)?$/;
/** Of modules that call, these names do not: they parse, check or serve. */
const HARMLESS = new Set([
  // It listens.
  'Server',
  'isIP',
  'isIPv4',
  'isIPv6',
  'BlockList',
  'SocketAddress',
  'createServer',
  'validateHeaderName',
  'validateHeaderValue',
  'STATUS_CODES',
  'METHODS',
  'maxHeaderSize',
]);
const CALLS =
  /(?<![.\w]|async )fetch\(|globalThis\.fetch|new (?:WebSocket|EventSource|XMLHttpRequest|Resolver)\(|\bconnect\(\{\s*host/;
/** Libraries for tool servers: they call through the `fetch` that libs/mcp gives them, which is the guarded one. */
const LENT = /^(?:@modelcontextprotocol\/sdk|oauth4webapi)/;
const TRANSPORTS = /new (?:StreamableHTTP|SSE|WebSocket|Stdio)ClientTransport\((?![^;]*?\{[^;]*?\bfetch\b)/;
/** Loaded when it is needed: all of it. */
const LOADINGS = /(?<!typeof )\b(?:import|require)\('([^']+)'\)/g;
const IMPORTS = /^import (?!type )([^;]*?) from '([^']+)';/gms;

function valuesOf(clause: string): string[] {
  const named = /\{([^}]*)\}/s.exec(clause)?.[1];
  if (named === undefined) return [clause.trim()];
  const [whole = ''] = clause.split('{');
  return `${whole}${named}`
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(' as ')[0]!);
}

function callsOut(source: string, lent?: RegExp): boolean {
  for (const [, clause = '', module = ''] of source.matchAll(IMPORTS)) {
    if (!CALLING_MODULES.test(module) || lent?.test(module)) continue;
    if (valuesOf(clause).some((name) => !HARMLESS.has(name))) return true;
  }
  for (const [, module = ''] of source.matchAll(LOADINGS))
    if (CALLING_MODULES.test(module) && !lent?.test(module)) return true;
  if (TRANSPORTS.test(source)) return true;
  return CALLS.test(source.replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, ''));
}

describe('calls to the outside', () => {
  const root = resolve(__dirname, '../..');
  const files = globSync('{apps,libs}/*/src/**/*.ts', { cwd: root }).filter(
    (path) => !/\.spec(-support)?\.ts$|\.bench\.ts$/.test(path),
  );
  const calling = files.filter((path) =>
    callsOut(readFileSync(join(root, path), 'utf8'), path.startsWith('libs/mcp/src/') ? LENT : undefined),
  );

  it('knows what a call looks like', () => {
    expect(files.length).toBeGreaterThan(500);
    for (const source of [
      'const answer = await fetch(url);',
      "import { request } from 'node:https';",
      "import http from 'http';",
      "import { isIP, connect } from 'node:net';",
      "import axios from 'axios';",
      "const { createTransport } = await import('nodemailer');",
      "const load = () => import('@aws-sdk/client-s3');",
      'const socket = new WebSocket(url);',
      "import { Client } from '@modelcontextprotocol/sdk/client/index.js';",
    ])
      expect([source, callsOut(source)]).toEqual([source, true]);
    for (const source of [
      "import type { Server } from 'node:http';",
      "import { isIP } from 'node:net';",
      'this.http.fetch(url)',
      "type Driver = typeof import('mysql2');",
      '// fetch(url)',
    ])
      expect([source, callsOut(source)]).toEqual([source, false]);
  });

  it('are made by the guarded fetcher, or go where the deployment says', () => {
    expect(calling.filter((path) => !(path in ALLOWED) && !MODELS.test(path))).toEqual([]);
  });

  it('have no exception that is not used', () => {
    expect(Object.keys(ALLOWED).filter((path) => !calling.includes(path))).toEqual([]);
  });
});
