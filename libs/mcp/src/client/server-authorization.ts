import { Injectable } from '@nestjs/common';
import {
  type AuthorizedServer,
  McpAuthorization,
  McpOAuthTokens,
  type Refusal,
  SignInNeededError,
} from './authorization.js';

/** `none`, `bearer` and `header` from what is stored; `oauth` from the tokens. */
@Injectable()
export class ServerAuthorization extends McpAuthorization {
  constructor(private readonly tokens: McpOAuthTokens) {
    super();
  }

  async headersFor(
    server: AuthorizedServer,
    options: { signal: AbortSignal },
  ): Promise<Readonly<Record<string, string>>> {
    const { authType, authHeaderName, secret } = server;
    if (authType === 'oauth') {
      const token = await this.tokens.accessToken(signedIn(server), options);
      return { authorization: `Bearer ${token}` };
    }
    if (authType === 'none' || secret === null) return {};
    return authType === 'bearer' ? { authorization: `Bearer ${secret}` } : { [authHeaderName.toLowerCase()]: secret };
  }

  async renew(server: AuthorizedServer, refusal: Refusal, options: { signal: AbortSignal }): Promise<boolean> {
    if (server.authType !== 'oauth') return false;
    const accessToken = (refusal.usedHeaders['authorization'] ?? '').replace(/^Bearer /, '');
    const { status, challenge } = refusal;
    return this.tokens.refused(signedIn(server), { status, challenge, accessToken }, options);
  }
}

/** @throws SignInNeededError for a server that is not stored, so that nobody can have signed in to it */
function signedIn({ id, userId, url }: AuthorizedServer): { id: number; userId: number; url: string } {
  if (id === null) throw new SignInNeededError('Save the server, then sign in to it.');
  return { id, userId, url };
}
