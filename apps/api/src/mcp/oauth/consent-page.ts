import type { AppConfig } from '@app/config';

/** The page of the web app on which users decide. */
export class ConsentPage {
  constructor(private readonly http: Pick<AppConfig['http'], 'corsOrigins'>) {}

  addressOf(requestId: string, base: string): string {
    const webApp = (this.http.corsOrigins[0] ?? base).replace(/\/+$/, '');
    return `${webApp}/oauth/consent?request=${requestId}`;
  }
}
