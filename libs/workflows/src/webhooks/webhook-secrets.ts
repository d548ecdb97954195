import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Secrets of webhooks at rest: sealed (AES-256-GCM, bound to their row) for showing them to their owner, and as a
 * keyed hash for checking calls. Both keys are derived from the deployment's master key.
 */
export class WebhookSecrets {
  private readonly sealKey: KeyObject;
  private readonly macKey: KeyObject;

  constructor(masterKey: Buffer) {
    const derive = (purpose: string) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', `atrium/${purpose}`, 32)));
    this.sealKey = derive('workflow_webhooks.secret_sealed');
    this.macKey = derive('workflow_webhooks.secret_mac');
  }

  /** 256 random bits as text. */
  generate(): string {
    return randomBytes(32).toString('base64url');
  }

  /** @param rowId keeps the sealed text from being moved to another row. */
  seal(secret: string, rowId: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.sealKey, iv).setAAD(additionalData(rowId));
    return Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** @throws Error when the text was sealed for another row or under another key. */
  open(sealed: string, rowId: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.sealKey, bytes.subarray(0, IV_BYTES));
    decipher.setAAD(additionalData(rowId)).setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }

  mac(secret: string): Buffer {
    return createHmac('sha256', this.macKey).update(secret).digest();
  }

  /** In a time that does not depend on where the two differ. */
  matches(secret: string, mac: Buffer): boolean {
    return timingSafeEqual(this.mac(secret), mac);
  }
}

function additionalData(rowId: string): Buffer {
  return Buffer.from(`workflow_webhooks|secret_sealed|${rowId}`);
}
