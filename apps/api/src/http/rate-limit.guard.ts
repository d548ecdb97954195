import type { AppConfig } from '@app/config';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import type { Response } from 'express';
import type { ApiRequest } from './api-request.js';
import { RateLimiter } from './rate-limiter.js';
import { ROUTE, type RateLimit } from './route.js';
import type { DeclaredRoute } from './route-catalog.js';

/**
 * The limits of docs/contract/conventions.md#rate-limits: per user when signed in, per address when not, and a
 * route's own instead.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly perUser: RateLimit;
  private readonly perIp: RateLimit;

  constructor(
    private readonly limiter: RateLimiter,
    settings: AppConfig['rateLimits'],
  ) {
    this.perUser = { bucket: 'user', perMinute: settings.perUser };
    this.perIp = { bucket: 'ip', perMinute: settings.perIp };
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const route = Reflect.getMetadata(ROUTE, context.getHandler()) as DeclaredRoute;
    // The later guards and the error filter read it from here.
    request.declaredRoute = route;
    if (route.rate === 'none' || route.rate?.perCredential) return true;
    const { user } = request;
    const who = user ? String(user.userId) : `ip-${normalizeIp(request.ip ?? 'unknown')}`;
    const limit = route.rate ?? (user ? this.perUser : this.perIp);
    if (!route.rate) request.countedBy = { limit, who };
    return this.limiter.hit(limit, who, http.getResponse<Response>())?.then(() => true) ?? true;
  }
}
