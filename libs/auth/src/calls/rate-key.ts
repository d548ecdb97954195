import { hash } from 'node:crypto';

/** A short stand-in for text that clients choose, such as an account name. */
export function rateKey(text: string): string {
  return hash('sha256', text.normalize('NFKC').trim().toLowerCase(), 'base64url').slice(0, 22);
}
