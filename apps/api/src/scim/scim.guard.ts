import { type ScimClient, ScimTokens } from '@app/auth';
import { UnauthenticatedError } from '@app/common';
import { Gates } from '@app/entitlements';
import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { ApiRequest } from '../http/api-request.js';
import { UnsupportedMediaTypeError } from '../http/http-errors.js';
import { isOpenRoute } from '../http/part-of.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { checkDepth, parseBody, verifyFaithful } from '../http/request-body.guard.js';
import { SCIM_TYPE } from '../http/scim-error-body.js';
import { SCIM_RATE } from './protocol/scim-route.js';
import express, { type Response } from 'express';

const BODY_LIMIT_BYTES = 1_048_576;
const REFUSALS = { bucket: 'scim-refused', perMinute: 60 };

type ScimRequest = ApiRequest & { scimClient?: ScimClient };

/** Who calls, how often, with which plan, and only then the body: directories have tokens of their own instead of sessions. */
@Injectable()
export class ScimGuard implements CanActivate {
  private readonly parse = express.json({
    limit: BODY_LIMIT_BYTES,
    strict: false,
    type: () => true,
    verify: verifyFaithful,
  });

  constructor(
    private readonly tokens: ScimTokens,
    private readonly limiter: RateLimiter,
    private readonly gates: Gates,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ScimRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    request.scimClient = await this.authenticate(request, response);
    await this.limiter.hit(SCIM_RATE, request.scimClient.tokenId, response);
    if (!isOpenRoute(request.method, request.declaredRoute))
      await this.gates.checkOrganization(request.scimClient.organizationId, 'sso_scim');
    response.setHeader('Content-Type', `${SCIM_TYPE}; charset=utf-8`);
    if (request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH')
      await this.read(request, response);
    return true;
  }

  private async authenticate({ headers, ip }: ScimRequest, response: Response): Promise<ScimClient> {
    const token = /^Bearer ([\w-]{1,200})$/i.exec(headers.authorization ?? '')?.[1];
    const client = token === undefined ? null : await this.tokens.resolve(token);
    if (client) return client;
    await this.limiter.hit(REFUSALS, `ip-${ip ?? 'unknown'}`, response);
    if (headers.authorization === undefined) throw new UnauthenticatedError();
    throw new UnauthenticatedError('Invalid token.', { code: 'invalid_token' });
  }

  private async read(request: ScimRequest, response: Response): Promise<void> {
    const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
    if (mediaType !== SCIM_TYPE && mediaType !== 'application/json') throw new UnsupportedMediaTypeError(mediaType);
    const body = await parseBody(this.parse, request, response);
    if (typeof body === 'object' && body !== null) checkDepth(body);
  }
}

/** The directory that calls; on routes behind `ScimGuard`. */
export const CurrentDirectory = createParamDecorator((_: unknown, context: ExecutionContext): ScimClient => {
  return context.switchToHttp().getRequest<Required<ScimRequest>>().scimClient;
});
