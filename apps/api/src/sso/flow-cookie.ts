import type { AppConfig } from '@app/config';
import type { CookieOptions, Request, Response } from 'express';

const NAME = 'sso_flow';
const VALUE = /^[\w-]{43}$/;

/**
 * Ties a sign-in at a provider to the browser that began it (docs/contract/accounts.md#single-sign-on). It outlives
 * no sign-in by much.
 */
export class FlowCookie {
  private readonly options: CookieOptions;

  constructor({ cookieSecure }: AppConfig['http']) {
    this.options = {
      path: '/api/v1/auth/',
      httpOnly: true,
      ...(cookieSecure ? { secure: true, sameSite: 'none' } : { sameSite: 'lax' }),
    };
  }

  /** Null too for a value that this api never sets. */
  read(request: Request): string | null {
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const value = pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1) ?? '';
    return VALUE.test(value) ? value : null;
  }

  set(response: Response, value: string, seconds: number): void {
    response.cookie(NAME, value, { ...this.options, maxAge: seconds * 1000 });
  }
}
