import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

export interface Hook {
  id: string;
  url: string;
  secret: string;
}

export interface HookAnswer {
  status: number;
  type: string;
  text: string;
  headers: Headers;
  /** Of a JSON answer; empty for others. */
  body: Record<string, unknown>;
}

/** Whatever an address answers. */
export async function call(url: string, init: RequestInit = {}): Promise<HookAnswer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const body = type.startsWith('application/json') ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, type, text, headers: response.headers, body };
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
const seconds = (at: Date) => String(Math.floor(at.getTime() / 1000));

/** The headers that a sender of each scheme puts to a body. */
export const senders: Record<string, (secret: string, body: string, at: Date, id: string) => Record<string, string>> = {
  none: (_, _body, _at, id) => ({ 'idempotency-key': id }),
  header: (secret, _body, _at, id) => ({ 'x-key': secret, 'idempotency-key': id }),
  basic: (secret, _body, _at, id) => ({
    authorization: `Basic ${Buffer.from(`ada:${secret}`).toString('base64')}`,
    'idempotency-key': id,
  }),
  bearer: (secret, _body, _at, id) => ({ authorization: `Bearer ${secret}`, 'idempotency-key': id }),
  hmac: (secret, body) => ({ 'x-key': createHmac('sha256', secret).update(body).digest('base64') }),
  github: (secret, body, _at, id) => ({
    'x-hub-signature-256': `sha256=${hmac(secret, body)}`,
    'x-github-delivery': id,
    'x-github-event': 'push',
  }),
  gitlab: (secret, _body, _at, id) => ({ 'x-gitlab-token': secret, 'idempotency-key': id }),
  stripe: (secret, body, at) => ({
    'stripe-signature': `t=${seconds(at)},v1=${hmac(secret, `${seconds(at)}.${body}`)}`,
  }),
  slack: (secret, body, at) => ({
    'x-slack-request-timestamp': seconds(at),
    'x-slack-signature': `v0=${hmac(secret, `v0:${seconds(at)}:${body}`)}`,
  }),
  zoom: (secret, body, at) => ({
    'x-zm-request-timestamp': seconds(at),
    'x-zm-signature': `v0=${hmac(secret, `v0:${seconds(at)}:${body}`)}`,
  }),
  svix: (secret, body, at, id) => ({
    'svix-id': id,
    'svix-timestamp': seconds(at),
    'svix-signature': new Webhook(secret).sign(id, at, body),
  }),
  'standard-webhooks': (secret, body, at, id) => ({
    'webhook-id': id,
    'webhook-timestamp': seconds(at),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }),
};
