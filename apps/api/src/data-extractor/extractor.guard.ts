import { ForbiddenError, UnavailableError } from '@app/common';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { EXTRACTOR, type ExtractorKind } from '../extractor-kind/extractor-kind.js';
import type { ApiRequest } from '../http/api-request.js';

/**
 * What all routes of extracted tables ask first: whether there is an extractor, and whether the account has the address by
 * which tables are kept (docs/contract/extracted-tables.md#who-may-do-what). With a separate
 * service these routes are not there at all: `handed-on` has them.
 */
@Injectable()
export class ExtractorGuard implements CanActivate {
  constructor(@Inject(EXTRACTOR) private readonly kind: ExtractorKind) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.kind !== 'embedded')
      throw new UnavailableError('No extractor is configured.', { code: 'extractor_not_configured' });
    const { user } = context.switchToHttp().getRequest<ApiRequest>();
    if (!user || user.email === '')
      throw new ForbiddenError('Extracted tables need an account with an e-mail address.', { code: 'email_required' });
    return true;
  }
}
