import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-custom';
import type { Principal } from './principal.js';
import { PrincipalResolver } from './principal-resolver.js';

interface RequestWithHeaders {
  headers: { authorization?: string };
}

/** `Authorization: Token <access token>` (document 1, section 5). `Bearer` is taken too. */
@Injectable()
export class SessionStrategy extends PassportStrategy(Strategy, 'session-token') {
  constructor(private readonly principals: PrincipalResolver) {
    super();
  }

  async validate(request: RequestWithHeaders): Promise<Principal | false> {
    const [scheme, token] = (request.headers.authorization ?? '').split(' ', 2);
    if (!token || !/^(token|bearer)$/i.test(scheme ?? '')) return false;
    return (await this.principals.resolve(token)) ?? false;
  }
}
