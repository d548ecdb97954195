import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** What a call shows to prove that it comes from the right sender. */
export interface CallProof {
  /** The secret itself; null when the call does not bring it. */
  secret: string | null;
  /** Of Standard Webhooks. */
  signature?: { id: string; timestamp: string; signature: string } | null;
  /** `X-Hub-Signature-256`, as GitHub and others sign with a shared secret. */
  bodySignature?: string | null;
  /** The bytes that were signed. */
  body?: Buffer;
}

const EMPTY = Buffer.alloc(0);

/** Whether one of the keys signed the body, within five minutes of now, by https://www.standardwebhooks.com. Every key is tried. */
export function isSigned(keys: readonly Webhook[], { signature, body = EMPTY }: CallProof): boolean {
  if (!signature) return false;
  const headers = {
    'webhook-id': signature.id,
    'webhook-timestamp': signature.timestamp,
    'webhook-signature': signature.signature,
  };
  return keys.map((key) => verifies(key, body, headers)).includes(true);
}

function verifies(key: Webhook, body: Buffer, headers: Record<string, string>): boolean {
  try {
    key.verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

/** Whether the body carries `sha256=<hex>`, its HMAC under one of the secrets. Every secret is tried. */
export function isBodySigned(secrets: readonly string[], { bodySignature, body = EMPTY }: CallProof): boolean {
  if (!bodySignature) return false;
  const given = Buffer.from(bodySignature);
  const equal = secrets.map((secret) => {
    const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return equal.includes(true);
}
