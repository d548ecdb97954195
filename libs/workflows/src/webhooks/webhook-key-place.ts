import type { SealedPlace, SealingService } from '@app/secrets';

const placeOf = (keyId: string): SealedPlace => ({ table: 'workflow_webhook_keys', column: 'key_sealed', row: keyId });

/** An earlier secret or a signing key, as its row keeps it. */
export function sealWebhookKey(sealing: SealingService, keyId: string, value: string): Buffer {
  return sealing.seal(value, placeOf(keyId));
}

/** @throws UnsealableError */
export function openWebhookKey(sealing: SealingService, keyId: string, sealed: Buffer): string {
  return sealing.openText(sealed, placeOf(keyId));
}
