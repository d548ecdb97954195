import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';

const SETTING = 'atrium public url';
/** A name or a number, perhaps with a port: nothing else belongs into an address that others open. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** @param publicUrl the setting, undefined when the deployment names none */
export function keepPublicUrl(app: NestExpressApplication, publicUrl: string | undefined): void {
  app.set(SETTING, publicUrl?.replace(/\/+$/, ''));
}

/**
 * Where clients reach the api, without a slash at its end: `PUBLIC_URL`, whatever the request says of itself. Only where
 * the deployment names none, the request is asked, which whoever sends it may forge.
 */
export function publicAddress(request: Request): string {
  const declared = request.app.get(SETTING) as string | undefined;
  if (declared !== undefined) return declared;
  const host = request.get('host') ?? '';
  // A proxy that is believed may hand on anything as the protocol.
  const protocol = request.protocol === 'https' ? 'https' : 'http';
  const address = `${protocol}://${host}`;
  // What looks like a name may be none: 1.2.3.999, or a port beyond the last.
  return HOST.test(host) && URL.canParse(address) ? address : `${protocol}://localhost`;
}
