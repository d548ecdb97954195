import { BODIES, QUERIES, resourceNamed, type Resources } from '../matrix-requests.js';
import type { Attack, Body } from './attacks.js';
import type { Operation } from './description.js';
import { writeForm } from './multipart.js';
import { mutated } from './mutations.js';
import type { Account } from './stage.js';
import type { WireRequest } from './wire-call.js';

/** Node itself cuts off what has more than 16 KB of headers. */
const LONGEST_TARGET = 6000;

export interface Cast {
  user: Account;
  victim: Account;
  adminToken: string;
}

/** What the route matrix knows nothing of, in its way of writing. */
const MORE_SEEDS: Record<string, (resources: Resources) => Record<string, unknown>> = {
  'POST /api/v1/users/': () => ({ username: 'someone', email: 'someone@mail.example', password: 'stone-under-lake' }),
  'POST /scim/v2/Users': () => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: `someone`,
    emails: [{ value: 'someone@mail.example', primary: true }],
  }),
  'PUT /scim/v2/Users/:id': () => ({ userName: 'renamed', active: true, name: { givenName: 'A' } }),
  'PATCH /scim/v2/Users/:id': () => ({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'name.givenName', value: 'A' }],
  }),
  'POST /scim/v2/Groups': ({ person }) => ({ displayName: 'Writers', members: [{ value: person }] }),
  'PUT /scim/v2/Groups/:id': ({ person }) => ({ displayName: 'Writers', members: [{ value: person }] }),
  'PATCH /scim/v2/Groups/:id': ({ person }) => ({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'add', path: 'members', value: [{ value: person }] }],
  }),
  'POST /mcp/': () => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search', arguments: { query: 'x' } },
  }),
  'POST /oauth/register/': () => ({ redirect_uris: ['https://app.example/'], client_name: 'App' }),
  'POST /oauth/token/': () => ({ grant_type: 'authorization_code', code: 'x', client_id: 'x', code_verifier: 'x' }),
  'POST /oauth/revoke/': () => ({ token: 'x' }),
  'POST /microservices/prompt-2-workflow/agent/': () => ({ message: 'Sum up every new file.' }),
};

/** `{id}` as the route matrix writes it. */
export function matrixName({ method, path }: Pick<Operation, 'method' | 'path'>): string {
  return `${method} ${path.replace('{path}', '*path').replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

function ownedBy({ resources }: Account, path: string, parameter: string): string {
  if (path.startsWith('/scim/v2/Users')) return resources.person!;
  if (path.startsWith('/scim/v2/Groups')) return resources.group!;
  return resourceNamed(path.replaceAll(/\{(\w+)\}/g, ':$1'), parameter, resources);
}

/** Puts in the resources that marks mean, and JSON text without its quotes. */
function filled(text: string, { user, victim }: Cast): string {
  return text
    .replaceAll(/@own\.(\w+)@/g, (_, name: string) => user.resources[name] ?? '')
    .replaceAll(/@foreign\.(\w+)@/g, (_, name: string) => victim.resources[name] ?? '')
    .replaceAll(/"@raw\.([^@]*)@"/g, (_, raw: string) => raw.replaceAll('\\"', '"'));
}

function authorizationOf(caller: Attack['caller'], path: string, { user, adminToken }: Cast): string | null {
  if (path.startsWith('/scim/') && caller !== 'stranger') return `Bearer ${user.directory.token}`;
  const scheme = path === '/mcp/' ? 'Bearer' : 'Token';
  switch (caller) {
    case 'user':
      return `Token ${user.client.token}`;
    case 'admin':
      return `Token ${adminToken}`;
    case 'token':
      return `${scheme} ${user.apiToken}`;
    case 'garbled':
      return `Token ${user.client.token.slice(0, -1)}\u00ff`;
    default:
      return null;
  }
}

function bytesOf(body: Body, operation: Operation, cast: Cast): { type: string | null; body: Buffer } | null {
  const route = matrixName(operation);
  const fill = (text: string) => filled(text, cast);
  const json = Object.keys(operation.takes)[0] ?? 'application/json';
  const asJson = (value: unknown) => ({
    type: json.startsWith('multipart') ? 'application/json' : json,
    body: Buffer.from(fill(JSON.stringify(value) ?? '')),
  });
  switch (body.kind) {
    case 'none':
      return null;
    case 'text':
      return { type: body.type, body: Buffer.from(fill(body.text), body.text.includes('\u00ff') ? 'latin1' : 'utf8') };
    case 'json':
      return asJson(mutated(body.value, body.mutations));
    case 'seed': {
      if (['GET', 'HEAD', 'OPTIONS'].includes(operation.method)) return null;
      const seed = (MORE_SEEDS[route] ?? BODIES[route])?.(cast.user.resources);
      if (!seed && operation.method === 'DELETE') return null;
      return asJson(mutated(seed ?? {}, body.mutations));
    }
    case 'form':
      return {
        type: 'application/x-www-form-urlencoded',
        body: Buffer.from(fill(body.fields.map(([name, text]) => `${name}=${percent(text)}`).join('&'))),
      };
    case 'multipart':
      return writeForm(body.form, fill);
  }
}

const percent = (text: string) =>
  encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll('%40', '@');

/** The bytes of an attack, with the resources of this moment. */
export function build(attack: Attack, operation: Operation, cast: Cast): WireRequest {
  const { method, path } = operation;
  const target = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => attack.path[name] ?? ownedBy(cast.user, path, name),
  );
  const seed = attack.seedQuery ? (QUERIES[matrixName(operation)]?.(cast.user.resources).slice(1) ?? '') : '';
  const query = [seed, ...attack.query].filter((part) => part !== '').join('&');
  const sent = bytesOf(attack.body, operation, cast);
  const authorization = authorizationOf(attack.caller, path, cast);
  const headers = Object.entries(attack.headers).map(([name, text]) => [name, filled(text, cast)]);
  return {
    method,
    target: filled(query === '' ? target : `${target}?${query}`, cast).slice(0, LONGEST_TARGET),
    headers: {
      ...(sent?.type ? { 'content-type': sent.type } : {}),
      ...(authorization ? { authorization } : {}),
      ...(Object.fromEntries(headers) as Record<string, string>),
    },
    body: sent?.body ?? null,
  };
}
