import type { AppConfig } from '@app/config';
import type { CookieOptions, Request, Response } from 'express';
import { isOfOwnPage } from '../http/origins.js';

const NAME = 'refresh_token';

/** The cookie that carries the refresh token (docs/contract/sessions.md#the-refresh-cookie). */
export class RefreshCookie {
  private readonly options: CookieOptions;

  constructor(private readonly http: AppConfig['http']) {
    const { cookieSecure } = http;
    this.options = {
      path: '/api/v1/auth/',
      httpOnly: true,
      ...(cookieSecure ? { secure: true, sameSite: 'none' } : { sameSite: 'lax' }),
    };
  }

  /**
   * Nothing for a page of elsewhere. Such a page reads no answer, but one that breaks its call off after the exchange
   * would leave the browser with the former token, whose next use ends the session.
   */
  read(request: Request): string | undefined {
    if (!isOfOwnPage(this.http, request.headers)) return undefined;
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    return pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1) || undefined;
  }

  set(response: Response, refreshToken: string, seconds: number): void {
    response.cookie(NAME, refreshToken, { ...this.options, maxAge: seconds * 1000 });
  }

  clear(response: Response): void {
    response.clearCookie(NAME, this.options);
  }
}
