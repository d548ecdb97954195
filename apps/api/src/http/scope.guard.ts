import { PUBLIC_ROUTE } from '@app/auth';
import { ForbiddenError } from '@app/common';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ApiRequest } from './api-request.js';

/** API tokens may call what is open to everybody or names one of their scopes, and nothing else. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const { user, declaredRoute } = context.switchToHttp().getRequest<ApiRequest>();
    if (!user?.scopes) return true;
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, [context.getHandler(), context.getClass()]))
      return true;
    const scope = declaredRoute?.scope;
    if (scope && user.scopes.includes(scope)) return true;
    throw new ForbiddenError(
      scope ? `This API token lacks the scope ${scope}.` : 'API tokens may not do this. Sign in instead.',
      { code: 'insufficient_scope' },
    );
  }
}
