import { isIP } from 'node:net';
import type { AppConfig } from '@app/config';

/** For whom passkeys are made, and the pages that may use them. */
export interface RelyingParty {
  /** A domain; a passkey works on its pages and on those of its subdomains. */
  readonly id: string;
  readonly name: string;
  readonly origins: readonly string[];
}

function within(domain: string, origin: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/** The relying party of the settings; what they leave open follows from the addresses of the pages. */
export function relyingPartyOf({ webauthn, http }: Pick<AppConfig, 'webauthn' | 'http'>): RelyingParty {
  const api = http.publicUrl ?? `http://localhost:${http.port}`;
  const pages = [...http.corsOrigins, api].filter((address) => URL.canParse(address));
  const hosts = pages.map((address) => new URL(address).hostname);
  // An address in numbers cannot own passkeys.
  const id = webauthn.rpId ?? hosts.find((host) => isIP(host) === 0 && !host.startsWith('[')) ?? 'localhost';
  const known = pages.map((address) => new URL(address).origin).filter((origin) => within(id, origin));
  return { id, name: webauthn.rpName, origins: webauthn.origins.length > 0 ? webauthn.origins : known };
}
