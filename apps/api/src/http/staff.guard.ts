import { ForbiddenError } from '@app/common';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { ApiRequest } from './api-request.js';

/** Keeps routes that are declared `staffOnly` to those who run the platform (document 1, section 5, rule 6). */
@Injectable()
export class StaffGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const { declaredRoute, user } = context.switchToHttp().getRequest<ApiRequest>();
    if (declaredRoute?.staffOnly && !user?.isStaff) throw new ForbiddenError();
    return true;
  }
}
