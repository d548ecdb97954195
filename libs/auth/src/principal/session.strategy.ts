import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-custom';
import { CachedPrincipals } from './cached-principals.js';
import type { Principal } from './principal.js';

interface RequestWithHeaders {
  headers: { authorization?: string };
}

/** `Authorization: Token <access token>` (docs/contract/sessions.md#authentication); `Bearer` is taken too. */
function tokenOf({ headers: { authorization = '' } }: RequestWithHeaders): string | null {
  const space = authorization.indexOf(' ');
  const scheme = authorization.slice(0, Math.max(space, 0)).toLowerCase();
  return scheme === 'token' || scheme === 'bearer' ? authorization.slice(space + 1) : null;
}

@Injectable()
export class SessionStrategy extends PassportStrategy(Strategy, 'session-token') {
  constructor(private readonly principals: CachedPrincipals) {
    super();
  }

  async validate(request: RequestWithHeaders): Promise<Principal | false> {
    const token = tokenOf(request);
    return (token && (await this.principals.resolve(token))) || false;
  }

  /** The caller when the answer is still remembered: most requests need no more. */
  peek(request: RequestWithHeaders): Principal | null {
    const token = tokenOf(request);
    return token === null ? null : this.principals.peek(token);
  }
}
