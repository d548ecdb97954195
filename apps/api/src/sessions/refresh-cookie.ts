import type { AppConfig } from '@app/config';
import type { CookieOptions, Request, Response } from 'express';

const NAME = 'refresh_token';

/** The cookie that carries the refresh token (docs/contract/sessions.md#the-refresh-cookie). */
export class RefreshCookie {
  private readonly options: CookieOptions;

  constructor({ cookieSecure }: AppConfig['http']) {
    this.options = {
      path: '/api/v1/auth/',
      httpOnly: true,
      ...(cookieSecure ? { secure: true, sameSite: 'none' } : { sameSite: 'lax' }),
    };
  }

  read(request: Request): string | undefined {
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
