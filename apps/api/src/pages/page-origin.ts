import { UnavailableError } from '@app/common';
import type { AppConfig } from '@app/config';

const LOCAL_NAME = /^(?:[a-z0-9-]+\.)*localhost$/;
const LOCAL_NUMBER = /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Under which origin browsers find a page (docs/contract/artifacts.md#the-origin-of-pages). */
export class PageOrigin {
  /** What the system gave where the setting leaves it open. */
  port: number;

  constructor(
    private readonly settings: AppConfig['artifacts'],
    private readonly publicUrl: string | undefined,
  ) {
    this.port = settings.port;
  }

  /**
   * @param apiAddress under which the caller reached the api
   * @throws UnavailableError `pages_not_configured` where a public deployment names no origin for pages
   */
  of(artifactId: string, apiAddress: string): string {
    const found = this.find(artifactId, apiAddress);
    if (found === null)
      throw new UnavailableError('Pages cannot be shown: ARTIFACT_ORIGIN is not set.', {
        code: 'pages_not_configured',
      });
    return found;
  }

  /** Null where a public deployment names no origin for pages. */
  find(artifactId: string, apiAddress: string): string | null {
    const { origin } = this.settings;
    if (origin !== undefined) return origin.replace('*', artifactId);
    const { hostname, protocol } = new URL(apiAddress);
    // Cookies know no ports: beside an api at one of its names, pages of this machine are at the other.
    if (LOCAL_NAME.test(hostname)) return `http://127.0.0.1:${this.port}`;
    if (LOCAL_NUMBER.test(hostname)) return `http://localhost:${this.port}`;
    if (this.publicUrl !== undefined || protocol !== 'http:') return null;
    return `http://${hostname}:${this.port}`;
  }

  /** Whether browsers may be told to come with TLS alone. */
  get isEncrypted(): boolean {
    return this.settings.origin?.startsWith('https:') ?? false;
  }

  /** Where each artifact has a name of its own, a page is at no other. */
  isAt(artifactId: string, host: string | undefined): boolean {
    const { origin } = this.settings;
    return !origin?.includes('*') || new URL(origin.replace('*', artifactId)).host === host?.toLowerCase();
  }
}
