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
