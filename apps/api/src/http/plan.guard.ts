import { PUBLIC_ROUTE } from '@app/auth';
import { Gates } from '@app/entitlements';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ApiRequest } from './api-request.js';
import { isOpenRoute, partOfContext } from './part-of.js';

/**
 * Refuses what the plan of a caller who is known does not have (403 `feature_not_in_plan`), or what has expired (402
 * `subscription_expired`). Callers who are not, such as webhooks and directories, are asked about by those who know whom
 * they act for.
 */
@Injectable()
export class PlanGuard implements CanActivate {
  constructor(
    private readonly gates: Gates,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.gates.areOpen || context.getType() !== 'http') return true;
    const { user, declaredRoute, method } = context.switchToHttp().getRequest<ApiRequest>();
    if (!user || isOpenRoute(method, declaredRoute)) return true;
    // Whoever signs in, or calls a webhook, may send a token along.
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, [context.getHandler(), context.getClass()]))
      return true;
    const checking = this.gates.check(user, partOfContext(context, declaredRoute));
    return checking ? checking.then(() => true) : true;
  }
}
