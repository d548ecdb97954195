import type { IncomingHttpHeaders } from 'node:http';
import type { AppConfig } from '@app/config';

/** A page of this machine, whatever its port: what the development servers of web apps are. */
const LOCAL_PAGE = /^https?:\/\/(?:localhost|[a-z0-9-]+\.localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/** Whether pages of an origin may call from browsers: those of the settings, and those of this machine where they say so. */
export function isCallingOrigin(
  { corsOrigins, corsLocalhost }: Pick<AppConfig['http'], 'corsOrigins' | 'corsLocalhost'>,
  origin: string,
): boolean {
  return corsOrigins.includes(origin) || (corsLocalhost && LOCAL_PAGE.test(origin));
}

/**
 * Whether a request that a browser sends for a page may use what the browser adds by itself, such as a cookie: it comes
 * from a page that may call, or from the api's own address. Only browsers name an origin, and only they can be misused.
 */
export function isOfOwnPage(
  http: Pick<AppConfig['http'], 'corsOrigins' | 'corsLocalhost' | 'publicUrl'>,
  headers: IncomingHttpHeaders,
): boolean {
  const { origin, host } = headers;
  // A proxy may have changed the host; what the browser itself says of the two addresses, no page can write.
  if (origin === undefined || headers['sec-fetch-site'] === 'same-origin') return true;
  const own = http.publicUrl === undefined ? undefined : URL.parse(http.publicUrl)?.origin;
  return isCallingOrigin(http, origin) || origin === own || URL.parse(origin)?.host === host;
}
