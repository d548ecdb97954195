import { type Principal, PUBLIC_ROUTE } from '@app/auth';
import { ForbiddenError } from '@app/common';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ApiRequest } from './api-request.js';
import type { DeclaredRoute } from './route-catalog.js';

/**
 * What a route asks of a caller who is known: to be staff (docs/contract/sessions.md#authentication, rule 6), or to
 * have a scope.
 */
@Injectable()
export class RouteRightsGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const { user, declaredRoute } = context.switchToHttp().getRequest<ApiRequest>();
    if (declaredRoute?.staffOnly && !user?.isStaff) throw new ForbiddenError();
    if (!isNarrowed(user) || this.isPublic(context)) return true;
    if (user.audience === 'mcp' && !declaredRoute?.forMcpClients)
      throw new ForbiddenError('This token is good for the MCP endpoint alone.', { code: 'insufficient_scope' });
    if (user.scopes) demandScope(user.scopes, declaredRoute);
    if (user.readsOnly) demandReading(context.switchToHttp().getRequest<ApiRequest>());
    return true;
  }

  private isPublic(context: ExecutionContext): boolean {
    return this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, [context.getHandler(), context.getClass()]) ?? false;
  }
}

/** Whether a caller may do less than a person who signed in. */
function isNarrowed(user: Principal | undefined): user is Principal {
  return user !== undefined && (user.audience === 'mcp' || user.scopes !== null || user.readsOnly === true);
}

/** API tokens may call what names one of their scopes, and nothing else. */
function demandScope(scopes: NonNullable<Principal['scopes']>, route: DeclaredRoute | undefined): void {
  const fitting = [route?.scope ?? []].flat();
  if (fitting.some((scope) => scopes.includes(scope))) return;
  throw new ForbiddenError(
    fitting.length > 0
      ? `This API token lacks the scope ${fitting.join(' or ')}.`
      : 'API tokens may not do this. Sign in instead.',
    { code: 'insufficient_scope' },
  );
}

/** What everybody does with their own account, whatever their organisation lets them do. */
const OWN_ACCOUNT = /^\/(api\/v1|users|organisations|oauth|subscriptions|ws\/ticket)\//;
const READING = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

/** Viewers read, delete what is theirs and see to their account; they start nothing that costs. */
function demandReading({ method, path, declaredRoute }: ApiRequest): void {
  if (READING.has(method) || declaredRoute?.forViewers || OWN_ACCOUNT.test(path)) return;
  throw new ForbiddenError('Your role in the organization lets you read only. Ask an owner or admin of it.', {
    code: 'read_only_role',
  });
}
