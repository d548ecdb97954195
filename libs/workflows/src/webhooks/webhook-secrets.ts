import { createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { type KeyRing, type MasterKey, sealedPrefix, type SealingService } from '@app/secrets';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Before the hexadecimal text of a sealed value; values without it are of the first release. */
const SEALED = 's1:';

const derive = ({ bytes }: MasterKey, purpose: string) =>
  Buffer.from(hkdfSync('sha256', bytes, '', `atrium/${purpose}`, 32));

/**
 * Secrets of webhooks at rest: sealed for showing them to their owner, and as a keyed hash for checking calls. Hashes
 * under any key of the ring are recognised, so that calls go on while keys are rotated.
 */
export class WebhookSecrets {
  private readonly macKeys: readonly Buffer[];

  constructor(
    private readonly ring: KeyRing,
    private readonly sealing: SealingService,
  ) {
    this.macKeys = ring.all.map((key) => derive(key, 'workflow_webhooks.secret_mac'));
  }

  /** What every value begins with that stands under the current key. */
  get currentPrefix(): string {
    return SEALED + sealedPrefix(this.sealing.currentKid).toString('hex');
  }

  /** 256 random bits as text. */
  generate(): string {
    return randomBytes(32).toString('base64url');
  }

  /** @param rowId keeps the sealed text from being moved to another row. */
  seal(secret: string, rowId: string): string {
    return SEALED + this.sealing.seal(secret, placeOf(rowId)).toString('hex');
  }

  /** @throws Error when the text was sealed for another row or under a key that the ring does not hold. */
  open(sealed: string, rowId: string): string {
    if (!sealed.startsWith(SEALED)) return this.openFirstRelease(Buffer.from(sealed, 'base64url'), rowId);
    return this.sealing.openText(Buffer.from(sealed.slice(SEALED.length), 'hex'), placeOf(rowId));
  }

  /** Under the current key. */
  mac(secret: string): Buffer {
    return createHmac('sha256', this.macKeys[0]!).update(secret).digest();
  }

  /** In a time that does not depend on which key it was, nor on where the two differ. */
  matches(secret: string, mac: Buffer): boolean {
    const equal = this.macKeys.map((key) => timingSafeEqual(createHmac('sha256', key).update(secret).digest(), mac));
    return equal.includes(true);
  }

  /** Two secrets in the clear, compared by their hashes. */
  isSame(one: string, other: string): boolean {
    return timingSafeEqual(this.mac(one), this.mac(other));
  }

  private openFirstRelease(bytes: Buffer, rowId: string): string {
    for (const key of this.ring.all) {
      const decipher = createDecipheriv(
        'aes-256-gcm',
        derive(key, 'workflow_webhooks.secret_sealed'),
        bytes.subarray(0, IV_BYTES),
        { authTagLength: TAG_BYTES },
      );
      decipher.setAAD(Buffer.from(`workflow_webhooks|secret_sealed|${rowId}`)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8');
      try {
        return text + decipher.final('utf8');
      } catch {
        // It was another key of the ring.
      }
    }
    throw new Error('A webhook secret cannot be opened with any key.');
  }
}

const placeOf = (row: string) => ({ table: 'workflow_webhooks', column: 'secret_sealed', row });
