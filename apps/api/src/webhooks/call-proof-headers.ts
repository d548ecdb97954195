import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { CallProof } from '@app/workflows';

const MAX_KEY_LENGTH = 250;
const VISIBLE_ASCII = /^[\x21-\x7e]{1,200}$/;

function single(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** What the headers of a call bring as proof: a Standard Webhooks signature, or one as GitHub makes it. */
export function signaturesOf(headers: IncomingHttpHeaders): Pick<CallProof, 'signature' | 'bodySignature'> {
  const id = single(headers, 'webhook-id');
  const timestamp = single(headers, 'webhook-timestamp');
  const signature = single(headers, 'webhook-signature');
  return {
    signature: id && timestamp && signature ? { id, timestamp, signature } : null,
    bodySignature: single(headers, 'x-hub-signature-256'),
  };
}

/** The message id of a signed call as a key; senders may make them long. */
export function keyOfMessage(messageId: string | null): string | null {
  if (messageId === null) return null;
  return `msg:${messageId.length > MAX_KEY_LENGTH ? hash('sha256', messageId) : messageId}`;
}

/** The id that a sender gives an event, as a key of the address's own. */
export function keyOfEvent(scheme: string, eventId: string | null): string | null {
  if (eventId === null) return null;
  return `hook:${scheme}:${VISIBLE_ASCII.test(eventId) ? eventId : hash('sha256', eventId)}`;
}
