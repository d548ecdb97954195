import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyRing, MasterKey } from './key-ring.js';

/** Where a sealed value stands: authenticated with it, so that it opens in no other row, column or table. */
export interface SealedPlace {
  table: string;
  column: string;
  /** The row's primary key; several columns joined with a colon. */
  row: string | number;
}

/** The value was sealed under a key that the ring does not hold, for another place, or was altered. */
export class UnsealableError extends Error {
  constructor(reason: string, place: SealedPlace) {
    super(`${place.table}.${place.column} cannot be opened: ${reason}.`);
    this.name = 'UnsealableError';
  }
}

const VERSION = 1;
const KID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** version | kid | iv, wrapped data key, tag | iv, ciphertext, tag */
const HEADER_BYTES = 1 + KID_BYTES;
const WRAPPED_BYTES = IV_BYTES + KEY_BYTES + TAG_BYTES;
const SMALLEST = HEADER_BYTES + WRAPPED_BYTES + IV_BYTES + TAG_BYTES;

/** The first bytes of every value that was sealed under the key: what a rotation looks for in SQL. */
export function sealedPrefix(kid: string): Buffer {
  return Buffer.concat([Buffer.from([VERSION]), Buffer.from(kid, 'hex')]);
}

/**
 * Secrets at rest (docs/contract/reliability.md#secrets-and-webhooks). Each value has a random data key of its own,
 * which the master key wraps; both are
 * AES-256-GCM. A rotation wraps data keys anew and never reads the values.
 */
export class SealingService {
  constructor(private readonly ring: KeyRing) {}

  get currentKid(): string {
    return this.ring.current.kid;
  }

  /** The first bytes of every value that can be opened. */
  get readablePrefixes(): Buffer[] {
    return this.ring.all.map(({ kid }) => sealedPrefix(kid));
  }

  seal(value: string | Buffer, place: SealedPlace): Buffer {
    const dataKey = randomBytes(KEY_BYTES);
    return Buffer.concat([
      this.wrap(dataKey, place),
      encrypt(dataKey, typeof value === 'string' ? Buffer.from(value) : value, aad(place, 'value')),
    ]);
  }

  /** @throws UnsealableError */
  open(sealed: Buffer, place: SealedPlace): Buffer {
    const dataKey = this.unwrap(sealed, place);
    try {
      return decrypt(dataKey, sealed.subarray(HEADER_BYTES + WRAPPED_BYTES), aad(place, 'value'));
    } catch {
      throw new UnsealableError('it was altered or belongs elsewhere', place);
    }
  }

  /** @throws UnsealableError */
  openText(sealed: Buffer, place: SealedPlace): string {
    return this.open(sealed, place).toString('utf8');
  }

  /** Null where it cannot be opened, for whoever goes on without it. */
  openTextOrNull(sealed: Buffer, place: SealedPlace): string | null {
    try {
      return this.openText(sealed, place);
    } catch (error) {
      if (error instanceof UnsealableError) return null;
      throw error;
    }
  }

  /**
   * The same value under the current master key.
   * @returns null when it is already
   * @throws UnsealableError
   */
  rewrap(sealed: Buffer, place: SealedPlace): Buffer | null {
    if (sealed.subarray(0, HEADER_BYTES).equals(sealedPrefix(this.currentKid))) return null;
    const dataKey = this.unwrap(sealed, place);
    return Buffer.concat([this.wrap(dataKey, place), sealed.subarray(HEADER_BYTES + WRAPPED_BYTES)]);
  }

  private wrap(dataKey: Buffer, place: SealedPlace): Buffer {
    const { kid, bytes } = this.ring.current;
    return Buffer.concat([sealedPrefix(kid), encrypt(bytes, dataKey, aad(place, 'key'))]);
  }

  private unwrap(sealed: Buffer, place: SealedPlace): Buffer {
    if (sealed.length < SMALLEST || sealed[0] !== VERSION) throw new UnsealableError('it is no sealed value', place);
    const master = this.masterOf(sealed);
    if (!master) throw new UnsealableError('its master key is not in SECRETS_KEY or SECRETS_PREVIOUS_KEYS', place);
    try {
      const wrapped = sealed.subarray(HEADER_BYTES, HEADER_BYTES + WRAPPED_BYTES);
      return decrypt(master.bytes, wrapped, aad(place, 'key'));
    } catch {
      throw new UnsealableError('it was altered or belongs elsewhere', place);
    }
  }

  private masterOf(sealed: Buffer): MasterKey | undefined {
    return this.ring.find(sealed.subarray(1, HEADER_BYTES).toString('hex'));
  }
}

function aad({ table, column, row }: SealedPlace, part: 'key' | 'value'): Buffer {
  return Buffer.from(JSON.stringify([part, table, column, String(row)]));
}

function encrypt(key: Buffer, plain: Buffer, associated: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(associated);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer, associated: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(associated)
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}
