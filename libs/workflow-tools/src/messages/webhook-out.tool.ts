import { createHash } from 'node:crypto';
import { defineKind, param, ToolError } from '@app/workflow-definition';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { categories } from '../categories.js';
import { HTTP_UNAVAILABLE, requireHttp, toToolError } from '../http/http-failure.js';
import { sendWithRetries } from '../http/retries.js';

const MAX_BODY = 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_SECRETS = 5;

export const webhookOutTool = defineKind({
  kind: 'webhook_out',
  version: '1.0.0',
  title: 'Send a webhook',
  description: 'Posts an event to another host, signed as Standard Webhooks, until the host takes it.',
  category: categories.messages,
  icon: 'webhook',
  // Every try carries the same webhook-id, by which the host knows what it has.
  sideEffects: 'idempotent',
  timeoutSeconds: 120,
  params: z.object({
    url: param(z.string().trim().min(1).max(8_000), { label: 'Address', description: 'Begins with https://.' }),
    secret: param(z.string().min(1).max(2_000), {
      label: 'Signing secret',
      type: 'secret',
      description: 'whsec_ and base64; several, parted by spaces, while a secret is replaced.',
    }),
    event_type: param(z.string().max(200).default(''), {
      label: 'Event',
      description: 'Such as invoice.paid: the data is then wrapped with the type and the time.',
    }),
    data: param(z.unknown().optional(), { label: 'Data', description: 'What is sent as JSON.', type: 'object' }),
    timeout_seconds: param(z.coerce.number().min(1).max(60).default(15), {
      label: 'Seconds for one try',
      description: 'After which a try counts as failed.',
      type: 'number',
    }),
    max_retries: param(z.coerce.number().int().min(0).max(12).default(6), {
      label: 'Further tries',
      description: 'How often it is tried again when the receiver does not answer or fails.',
      type: 'integer',
    }),
  }),
  output: z.object({ status: z.int(), webhook_id: z.string(), tries: z.int() }),
  examples: [
    {
      url: 'https://hooks.example.com/orders',
      secret: '{{_secret.hook_key}}',
      event_type: 'order.created',
      data: { id: 7 },
    },
  ],
  checkNode: ({ secret }) =>
    typeof secret === 'string' && !secret.includes('{{') && readKeys(secret) === null
      ? [{ path: 'secret', message: 'Enter a secret of the form whsec_<base64 of 24 to 64 bytes>.' }]
      : [],
  unavailableReason: ({ http }) => (http ? null : HTTP_UNAVAILABLE),
  run: async (params, context) => {
    const http = requireHttp(context);
    const keys = readKeys(params.secret);
    if (keys === null)
      throw new ToolError('invalid_params', 'secret: This is no whsec_ secret of 24 to 64 bytes.', false);
    const { signal, idempotencyKey, resume } = context;
    const webhookId = `msg_${createHash('sha256').update(idempotencyKey).digest('base64url').slice(0, 27)}`;
    // The event happened once, however often it is told of.
    const happenedAt = Number(resume?.data?.at ?? context.now());
    const body = bodyOf(params.event_type, params.data, happenedAt);
    const send = () => {
      const sentAt = new Date(context.now());
      return http.request(params.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': webhookId,
          'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
          'webhook-signature': keys.map((key) => new Webhook(key).sign(webhookId, sentAt, body)).join(' '),
        },
        body,
        signal,
        timeoutMs: params.timeout_seconds * 1_000,
        maxBytes: MAX_ANSWER_BYTES,
        maxRedirects: 0,
      });
    };
    const triesBefore = Number(resume?.data?.tries ?? 0);
    const policy = { isRepeatable: true, maxRetries: params.max_retries, firstPauseMs: 2_000, maxPauseMs: 900_000 };
    try {
      const sent = await sendWithRetries(send, { ...policy, triesBefore, mayWait: true }, context);
      if ('wait' in sent) return { wait: { ...sent.wait, data: { ...sent.wait.data, at: happenedAt } } };
      const { status, body: answer } = sent.response;
      // What it says is nobody's business: only that it took the event.
      answer.destroy();
      if (status < 200 || status >= 300) throw refused(status);
      return { output: { status, webhook_id: webhookId, tries: triesBefore + 1 } };
    } catch (error) {
      throw toToolError(error);
    }
  },
});

function refused(status: number): ToolError {
  if (status === 410) return new ToolError('webhook_gone', 'The host wants no more webhooks (410).', false);
  return new ToolError('webhook_refused', `The host answered the webhook with status ${status}.`);
}

function bodyOf(type: string, data: unknown, at: number): string {
  const event = type === '' ? (data ?? {}) : { type, timestamp: new Date(at).toISOString(), data: data ?? {} };
  const body = JSON.stringify(event);
  if (Buffer.byteLength(body) > MAX_BODY)
    throw new ToolError('payload_too_large', 'The event is larger than 1 MB.', false);
  return body;
}

/** Null when one of them is none. */
function readKeys(secret: string): string[] | null {
  const keys = secret.split(/\s+/).filter((key) => key !== '');
  return keys.length > 0 && keys.length <= MAX_SECRETS && keys.every(isKey) ? keys : null;
}

function isKey(key: string): boolean {
  const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(key)?.[1];
  const bytes = text === undefined ? 0 : Buffer.from(text, 'base64').length;
  return bytes >= 24 && bytes <= 64;
}
