import { type Principal, SsoAccounts, SsoIdentities, SsoLinks, type SsoProvider } from '@app/auth';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ModelCatalog } from '../profile/model-catalog.js';
import { toUserResponse } from '../profile/profile.dto.js';
import { Profiles } from '../profile/profiles.js';
import { SignIn } from '../sessions/sign-in.js';
import { type Returned, SsoExchange } from './sso-exchange.js';
import type { LinkExchangeResponse, SsoSessionResponse } from './sso.dto.js';

/** What comes of the way back: a session, or a verified identity for the session that there is. */
@Injectable()
export class SsoSignIn {
  constructor(
    private readonly exchange: SsoExchange,
    private readonly accounts: SsoAccounts,
    private readonly links: SsoLinks,
    private readonly identities: SsoIdentities,
    private readonly signIn: SignIn,
    private readonly profiles: Profiles,
    private readonly models: ModelCatalog,
  ) {}

  /** Signs in, and makes the account when it is missing. */
  async callback(
    provider: SsoProvider,
    returned: Returned,
    request: Request,
    response: Response,
  ): Promise<SsoSessionResponse> {
    const { client, identity, idToken, redirectPath } = await this.exchange.complete(provider, returned, request);
    const userId = await this.accounts.resolve(client, identity);
    const issued = await this.signIn.begin(userId, provider, request, response);
    const [profile, wrappedKey] = await Promise.all([
      this.profiles.get(userId),
      this.identities.findWrappedKey(userId, provider),
    ]);
    return {
      auth_token: issued.accessToken,
      expires_in: issued.expiresIn,
      user: toUserResponse(profile, await this.models.find(userId, profile.llm_model_id)),
      ...(wrappedKey === null ? {} : { encryption_key: wrappedKey }),
      id_token: idToken,
      ...(redirectPath === null ? {} : { redirect_path: redirectPath }),
    };
  }

  /** Proves to the session whom POST /users/sso/link/ may link. */
  async linkExchange(
    provider: SsoProvider,
    returned: Returned,
    viewer: Principal,
    request: Request,
  ): Promise<LinkExchangeResponse> {
    const { client, identity, idToken, redirectPath } = await this.exchange.complete(provider, returned, request);
    const changed = await this.links.remember(viewer, client, identity);
    const { organization } = await this.profiles.get(viewer.userId);
    return {
      provider,
      sub: identity.subject,
      email: identity.email,
      email_verified: identity.emailVerified,
      id_token: idToken,
      organization,
      organization_changed: changed,
      ...(redirectPath === null ? {} : { redirect_path: redirectPath }),
    };
  }
}
