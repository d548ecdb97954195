import { hash } from 'node:crypto';
import type { SealedPlace, SealingService } from '@app/secrets';
import type { HookChallenge, HookScheme, HookSettings } from './hook-settings.js';

const settingsOf = (row: string): SealedPlace => ({
  table: 'workflow_webhook_receivers',
  column: 'settings_sealed',
  row,
});
const tokenOf = (row: string): SealedPlace => ({ table: 'workflow_webhook_urls', column: 'token_sealed', row });

/** By which a call finds its address: the token is 256 random bits, so nobody finds it by the hash. */
export function hashOfToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

export function sealToken(sealing: SealingService, urlId: string, token: string): Buffer {
  return sealing.seal(token, tokenOf(urlId));
}

/** @throws UnsealableError */
export function openToken(sealing: SealingService, urlId: string, sealed: Buffer): string {
  return sealing.openText(sealed, tokenOf(urlId));
}

/** Scheme and challenge stand beside it, in the clear. */
export function sealSettings(sealing: SealingService, webhookId: string, settings: HookSettings): Buffer {
  const { headerName, username, secrets, verifyToken } = settings;
  return sealing.seal(JSON.stringify({ headerName, username, secrets, verifyToken }), settingsOf(webhookId));
}

/** @throws UnsealableError */
export function openSettings(
  sealing: SealingService,
  row: { webhook_id: string; scheme: HookScheme; challenge: HookChallenge; settings_sealed: Buffer },
): HookSettings {
  const text = sealing.openText(row.settings_sealed, settingsOf(row.webhook_id));
  const rest = JSON.parse(text) as Omit<HookSettings, 'scheme' | 'challenge'>;
  return { scheme: row.scheme, challenge: row.challenge, ...rest };
}
