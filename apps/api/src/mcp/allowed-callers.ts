import { ForbiddenError } from '@app/common';
import type { AppConfig } from '@app/config';
import type { Request } from 'express';
import { isCallingOrigin } from '../http/origins.js';

/**
 * Where a request may come from: a page of another site that makes a name of its own lead here (DNS rebinding) still
 * says its own origin, and calls us by its own name.
 */
export class AllowedCallers {
  private readonly ownOrigin: string | undefined;
  private readonly hosts: ReadonlySet<string> | null;

  constructor(
    private readonly http: AppConfig['http'],
    furtherHosts: readonly string[],
  ) {
    const own = http.publicUrl === undefined ? null : new URL(http.publicUrl);
    this.ownOrigin = own?.origin;
    this.hosts = own ? new Set([own.hostname, 'localhost', '127.0.0.1', '[::1]', ...furtherHosts]) : null;
  }

  /** @throws ForbiddenError `origin_not_allowed`, `host_not_allowed` */
  check(request: Request): void {
    const { origin } = request.headers;
    if (origin !== undefined && origin !== this.ownOrigin && !isCallingOrigin(this.http, origin))
      throw new ForbiddenError('Pages of this origin may not call here.', { code: 'origin_not_allowed' });
    if (this.hosts && !this.hosts.has(request.hostname.toLowerCase()))
      throw new ForbiddenError('The service is not called by this name.', { code: 'host_not_allowed' });
  }
}
