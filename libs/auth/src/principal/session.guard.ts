import { currentContext, UnauthenticatedError } from '@app/common';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { PUBLIC_ROUTE } from './decorators.js';
import type { Principal } from './principal.js';
import { SessionStrategy } from './session.strategy.js';

interface GuardedRequest {
  headers: { authorization?: string };
  user?: Principal;
}

/** For log lines and jobs. */
function rememberCaller({ userId }: Principal): void {
  const context = currentContext();
  if (context) context.userId = userId;
}

/**
 * Finds out who calls; lets everybody pass. The rate limit comes between this guard and `SignedInGuard`, so that
 * guessing tokens is counted too.
 */
@Injectable()
export class SessionGuard extends AuthGuard() {
  /**
   * Passport's registry is global; two apis in one process would otherwise share the strategy of the later one. A
   * strategy that is given as an object gets each request's callbacks written onto it, so each request needs its own.
   */
  constructor(private readonly strategy: SessionStrategy) {
    super({
      get defaultStrategy() {
        return Object.create(strategy) as string;
      },
    });
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    if (request.headers.authorization === undefined) return true;
    const known = this.strategy.peek(request);
    if (!known) return this.authenticate(context, request);
    request.user = known;
    rememberCaller(known);
    return true;
  }

  private async authenticate(context: ExecutionContext, request: GuardedRequest): Promise<boolean> {
    await super.canActivate(context);
    if (request.user) rememberCaller(request.user);
    return true;
  }

  override handleRequest<T>(error: unknown, user: T | false): T {
    if (error) throw error;
    return (user || undefined) as T;
  }
}

/** Deny by default: only a `@Public()` route is open to callers without a session. */
@Injectable()
export class SignedInGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    const { user, headers } = context.switchToHttp().getRequest<GuardedRequest>();
    if (user || this.reflector.getAllAndOverride<boolean>(PUBLIC_ROUTE, [context.getHandler(), context.getClass()]))
      return true;
    if (headers.authorization === undefined) throw new UnauthenticatedError();
    throw new UnauthenticatedError('Invalid token.', { code: 'invalid_token' });
  }
}
