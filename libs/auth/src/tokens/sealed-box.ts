import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM under a key derived from the deployment's master key, one per purpose. The context (a row's id) is
 * authenticated with the text, so that a sealed value cannot be moved to another row.
 */
export class SealedBox {
  private readonly key: Buffer;

  /** @param masterKey 32 bytes in base64 */
  constructor(masterKey: string, purpose: string) {
    this.key = Buffer.from(hkdfSync('sha256', Buffer.from(masterKey, 'base64'), '', purpose, 32));
  }

  seal(text: string, context: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(context));
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** @returns null when the key, the context or a byte of the value is another one. */
  open(sealed: Buffer, context: string): string | null {
    if (sealed.length < IV_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      return decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return null;
    }
  }
}
