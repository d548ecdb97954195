import { createCipheriv, createDecipheriv, pbkdf2, randomBytes, scrypt, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MOST_WORK = 2 ** 17;
/** Of new envelopes, and of the decoy: the floor of docs/contract/accounts.md#keys-of-clients. */
const DEFAULT_SCRYPT = { N: 2 ** 15, r: 8 as const, p: 1 };

const bytes = (min: number, max: number) =>
  z
    .string()
    .max(2 * max)
    .regex(/^[A-Za-z0-9_-]+={0,2}$/)
    .transform((text) => Buffer.from(text, 'base64url'))
    .refine(({ length }) => length >= min && length <= max);

const shared = { v: z.literal(1), salt: bytes(8, 64), iv: bytes(IV_BYTES, IV_BYTES), ct: bytes(TAG_BYTES + 1, 1024) };

/**
 * Floors keep envelopes worth something, ceilings keep a hostile one from burning the server
 * (docs/contract/accounts.md#keys-of-clients).
 */
const envelopeSchema = z.discriminatedUnion('kdf', [
  z.object({
    ...shared,
    kdf: z.literal('scrypt'),
    params: z
      .object({
        N: z
          .int()
          .min(2 ** 15)
          .max(MOST_WORK),
        r: z.literal(8),
        p: z.int().min(1).max(4),
      })
      .refine(({ N, p }) => (N & (N - 1)) === 0 && N * p <= MOST_WORK),
  }),
  z.object({
    ...shared,
    kdf: z.literal('pbkdf2-sha256'),
    params: z.object({ iterations: z.int().min(600_000).max(2_000_000) }),
  }),
]);

type Envelope = z.infer<typeof envelopeSchema>;

const derivePbkdf2 = promisify(pbkdf2);
const deriveScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

async function deriveKey(secret: string, { kdf, params, salt }: Pick<Envelope, 'kdf' | 'params' | 'salt'>) {
  if ('iterations' in params) return derivePbkdf2(secret, salt, params.iterations, KEY_BYTES, 'sha256');
  if (kdf !== 'scrypt') throw new Error('An envelope has the parameters of another derivation.');
  return deriveScrypt(secret, salt, KEY_BYTES, { ...params, maxmem: 256 * params.N * params.r * params.p });
}

/**
 * Opens an envelope of docs/contract/accounts.md#keys-of-clients, with the secret that its key was derived from.
 * @param stored the envelope as an object or as JSON text; anything else, and null, takes the time of a default one
 * @returns the key inside, or null when it does not open
 */
export async function openEnvelope(stored: unknown, secret: string): Promise<Buffer | null> {
  const { data: envelope } = envelopeSchema.safeParse(typeof stored === 'string' ? fromJson(stored) : stored);
  if (!envelope) {
    await deriveScrypt(secret, randomBytes(16), KEY_BYTES, { ...DEFAULT_SCRYPT, maxmem: 2 ** 26 });
    return null;
  }
  const key = await deriveKey(secret, envelope);
  const decipher = createDecipheriv('aes-256-gcm', key, envelope.iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(envelope.ct.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(envelope.ct.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

/** The key under a secret, as the clients write it. */
export async function sealEnvelope(key: Buffer, secret: string): Promise<Record<string, unknown>> {
  const [salt, iv] = [randomBytes(16), randomBytes(IV_BYTES)];
  const wrapping = await deriveKey(secret, { kdf: 'scrypt', params: DEFAULT_SCRYPT, salt });
  const cipher = createCipheriv('aes-256-gcm', wrapping, iv);
  const ct = Buffer.concat([cipher.update(key), cipher.final(), cipher.getAuthTag()]);
  const text = { salt: salt.toString('base64url'), iv: iv.toString('base64url'), ct: ct.toString('base64url') };
  return { v: 1, kdf: 'scrypt', params: DEFAULT_SCRYPT, ...text };
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
