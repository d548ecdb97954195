import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { headerText, parseKeepingNumbers } from '@app/common';
import type { HookScheme, HookSettings } from './hook-settings.js';

/** What came to an address. */
export interface HookCall {
  headers: IncomingHttpHeaders;
  /** As it was sent. */
  body: Buffer;
  /** Milliseconds since the epoch. */
  now: number;
}

export interface HookProof {
  isGenuine: boolean;
  /** The same for each delivery of one event; null where the sender names none. */
  eventId: string | null;
}

type Check = (settings: HookSettings, secrets: readonly string[], call: HookCall) => boolean;

/** Seconds that the clock of a sender may be off, and that a call may be under way. */
const TOLERANCE = 300;
const MAX_SIGNATURES = 10;

const checks: Record<HookScheme, Check> = {
  none: () => true,
  header: ({ headerName }, secrets, call) => anySame(secrets, header(call, headerName!)),
  basic: ({ username }, secrets, call) =>
    anySame(
      secrets.map((secret) => `${username!}:${secret}`),
      basicOf(header(call, 'authorization')),
    ),
  bearer: (_, secrets, call) =>
    anySame(secrets, /^bearer +(.+)$/i.exec(header(call, 'authorization') ?? '')?.[1] ?? null),
  hmac: ({ headerName }, secrets, call) => anyDigest(secrets, [call.body], [header(call, headerName!)]),
  github: (_, secrets, call) => {
    const given = header(call, 'x-hub-signature-256');
    return anyDigest(secrets, [call.body], [given?.startsWith('sha256=') ? given : null]);
  },
  gitlab: (_, secrets, call) => anySame(secrets, header(call, 'x-gitlab-token')),
  stripe: (_, secrets, call) => {
    const parts = (header(call, 'stripe-signature') ?? '').split(',').map((part) => part.trim().split('='));
    const valuesOf = (name: string) => parts.filter(([key]) => key === name).map(([, value]) => value ?? '');
    const [time = '', ...others] = valuesOf('t');
    const isRight = anyDigest(
      secrets,
      [`${time}.`, call.body],
      valuesOf('v1')
        .filter((value) => value.length === 64)
        .slice(0, MAX_SIGNATURES),
    );
    return isRight && others.length === 0 && isFresh(time, call.now);
  },
  slack: (_, secrets, call) => isTimed('x-slack-request-timestamp', 'x-slack-signature', secrets, call),
  zoom: (_, secrets, call) => isTimed('x-zm-request-timestamp', 'x-zm-signature', secrets, call),
  svix: (_, secrets, call) => isStandard('svix', secrets, call),
  'standard-webhooks': (_, secrets, call) => isStandard('webhook', secrets, call),
};

/** Whether a call proves itself by the scheme of its address, in a time that does not tell where it fails. */
export function proveHook(settings: HookSettings, call: HookCall): HookProof {
  const secrets = settings.secrets.filter(({ until }) => until === null || until > call.now).map(({ value }) => value);
  // Schemes without one cost a digest of the body as well: a refusal does not tell which scheme it was.
  const spare = createHmac('sha256', 'spare').update(call.body).digest();
  const isGenuine = checks[settings.scheme](settings, secrets, call) && spare.length > 0;
  return { isGenuine, eventId: isGenuine ? eventIdOf(settings.scheme, call) : null };
}

function header({ headers }: HookCall, name: string): string | null {
  const value = headers[name];
  // A secret may hold any letters; what is no text is none of them.
  return typeof value === 'string' && value !== '' ? (headerText(value) ?? value) : null;
}

function anySame(expected: readonly string[], given: string | null): boolean {
  const digest = hash('sha256', given ?? '', 'buffer');
  const equal = expected.map((one) => timingSafeEqual(hash('sha256', one, 'buffer'), digest));
  return given !== null && equal.includes(true);
}

function basicOf(authorization: string | null): string | null {
  const base64 = /^basic +([a-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1];
  const bytes = Buffer.from(base64 ?? '', 'base64');
  return bytes.toString('base64') === base64 ? bytes.toString('utf8') : null;
}

/** Whether one of the values is the HMAC-SHA256 of the pieces under one of the secrets, as hex or base64. */
function anyDigest(
  secrets: readonly (string | Buffer)[],
  pieces: readonly (string | Buffer)[],
  given: readonly (string | null)[],
): boolean {
  const digests = given.map((value) => (value === null ? null : digestOf(value)));
  const equal = secrets.flatMap((secret) => {
    const mac = createHmac('sha256', secret);
    for (const piece of pieces) mac.update(piece);
    const expected = mac.digest();
    return digests.map((digest) => digest !== null && timingSafeEqual(digest, expected));
  });
  return equal.includes(true);
}

function digestOf(value: string): Buffer | null {
  const text = value.replace(/^(sha256|v0)=/, '');
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[a-z0-9+/]{43}=$/i.test(text) ? Buffer.from(text, 'base64') : null;
}

function isFresh(seconds: string, now: number): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(now / 1000 - Number(seconds)) <= TOLERANCE;
}

/** `v0=` and the digest of `v0:<time>:<body>`. */
function isTimed(timeHeader: string, signatureHeader: string, secrets: readonly string[], call: HookCall): boolean {
  const time = header(call, timeHeader) ?? '';
  const given = header(call, signatureHeader);
  const isRight = anyDigest(secrets, [`v0:${time}:`, call.body], [given?.startsWith('v0=') ? given : null]);
  return isRight && isFresh(time, call.now);
}

/** https://www.standardwebhooks.com and Svix; over the bytes, where the library would sign what they decode to. */
function isStandard(prefix: 'svix' | 'webhook', secrets: readonly string[], call: HookCall): boolean {
  const id = header(call, `${prefix}-id`) ?? '';
  const time = header(call, `${prefix}-timestamp`) ?? '';
  const given = (header(call, `${prefix}-signature`) ?? '').split(' ').slice(0, MAX_SIGNATURES);
  const keys = secrets.map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
  const isRight = anyDigest(
    keys,
    [`${id}.${time}.`, call.body],
    given.map((one) => (one.startsWith('v1,') ? one.slice('v1,'.length) : null)),
  );
  return isRight && id !== '' && isFresh(time, call.now);
}

/** Ids that senders repeat with each delivery, where no scheme says which. */
const ID_HEADERS = ['idempotency-key', 'webhook-id', 'svix-id', 'x-github-delivery'];

function eventIdOf(scheme: HookScheme, call: HookCall): string | null {
  const named = (names: readonly string[]) => names.map((name) => header(call, name)).find((id) => id !== null) ?? null;
  switch (scheme) {
    case 'stripe':
      return fieldOf(call.body, 'id') ?? signatureId(call, 'stripe-signature');
    case 'slack':
      return fieldOf(call.body, 'event_id') ?? signatureId(call, 'x-slack-signature');
    case 'svix':
      return header(call, 'svix-id');
    case 'standard-webhooks':
      return header(call, 'webhook-id');
    // Their signature covers the body alone: headers that name the event may be a replayer's own.
    case 'github':
    case 'hmac':
    case 'zoom':
      return `body:${hash('sha256', call.body)}`;
    case 'gitlab':
      return named(['idempotency-key', 'x-gitlab-webhook-uuid']);
    case 'none':
    case 'header':
    case 'basic':
    case 'bearer':
      return named(ID_HEADERS);
  }
}

function signatureId(call: HookCall, name: string): string {
  return `signature:${hash('sha256', header(call, name) ?? '')}`;
}

function fieldOf(body: Buffer, name: string): string | null {
  try {
    const value = (parseKeepingNumbers(body.toString('utf8')) as Record<string, unknown> | null)?.[name];
    return typeof value === 'string' && value !== '' ? value : null;
  } catch {
    // A form, as Slack sends for commands.
    return null;
  }
}
