import type { Request, RequestHandler } from 'express';
import { publicAddress } from '../http/public-address.js';

/** Under which addresses clients know the endpoint and what belongs to it. */
export class McpAddress {
  /** Without a slash at its end. */
  base(request: Request): string {
    return publicAddress(request);
  }

  /** The resource that tokens are for (RFC 8707). */
  resource(request: Request): string {
    return `${this.base(request)}/mcp`;
  }

  /** Of RFC 9728. */
  resourceMetadata(request: Request): string {
    return `${this.base(request)}/.well-known/oauth-protected-resource/mcp`;
  }
}

/** Leaves what `WWW-Authenticate` says with a 401 of the endpoint. */
export function challengeOf(address: McpAddress): RequestHandler {
  return (request, response, next) => {
    const reason = request.headers.authorization === undefined ? '' : 'error="invalid_token", ';
    response.locals.challenge = `Bearer ${reason}resource_metadata="${address.resourceMetadata(request)}"`;
    next();
  };
}
