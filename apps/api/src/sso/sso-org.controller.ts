import { CurrentUser, type Principal, Public, SsoSetup } from '@app/auth';
import { NotFoundError, UnavailableError } from '@app/common';
import { Gates } from '@app/entitlements';
import { Body, Controller, Get, Header, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { CALLBACK_ERRORS, LINK_EXCHANGE_ERRORS } from './sso-errors.js';
import { SsoExchange } from './sso-exchange.js';
import { SsoSignIn } from './sso-sign-in.js';
import {
  AuthorizeResponse,
  LinkExchangeResponse,
  OrgAuthorizeQuery,
  ReturnedRequest,
  SetupCredentialsRequest,
  SetupCredentialsResponse,
  SsoSessionResponse,
} from './sso.dto.js';

@ApiTags('Single sign-on')
@PartOf('core')
@Controller('api/v1/auth/sso_org')
export class SsoOrgController {
  constructor(
    private readonly exchange: SsoExchange,
    private readonly signIn: SsoSignIn,
    private readonly setup: SsoSetup,
    private readonly gates: Gates,
  ) {}

  @Get('authorize/')
  @Header('Cache-Control', 'no-store')
  @Public()
  @Route({
    summary: "Begin to sign in with one's organisation",
    description: 'Sets the cookie `sso_flow`. 404 with `need_credentials` when nobody has set the organisation up.',
    errors: { 404: 'detail', 502: 'detail' },
    response: AuthorizeResponse,
  })
  async authorize(
    @Query() { domain, redirect_path }: OrgAuthorizeQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthorizeResponse> {
    const { url, state } = await this.exchange.beginForDomain(domain, redirect_path ?? null, request, response);
    return { auth_url: url, state };
  }

  @Post('setup-credentials/')
  @Public()
  @Route({
    feature: 'sso_scim',
    summary: "Set an organisation's sign-in up, once",
    description:
      'Makes the organisation when it is missing. By staff, or with a `setup_token` of an operator; where domains must be ' +
      'proved (`SSO_DOMAIN_PROOF`), also by whoever publishes the DNS record that 403 `domain_not_verified` names, and ' +
      'then sends the same again.',
    errors: { 403: 'detail', 409: 'detail' },
    response: SetupCredentialsResponse,
    rate: { bucket: 'sso-setup', perMinute: 10 },
  })
  async setUp(
    @CurrentUser() viewer: Principal | null,
    @Body() body: SetupCredentialsRequest,
  ): Promise<SetupCredentialsResponse> {
    // Operators decide whom they set it up for; whoever proves a domain by themselves needs the plan for it.
    if (!viewer?.isStaff && !body.setup_token) await this.demandPlan(body.domain);
    const { client_id: clientId, client_secret: clientSecret, organization_name } = body;
    const names = { organizationName: organization_name || null, setupToken: body.setup_token || null };
    const given = { domain: body.domain, clientId, clientSecret, ...names };
    const { domain, organizationName } = await this.setup.configure(given, viewer);
    return { message: 'Single sign-on is set up.', domain, organization_name: organizationName };
  }

  @Post('callback/')
  @Header('Cache-Control', 'no-store')
  @Public()
  @Route({
    summary: "Sign in with one's organisation",
    description:
      'Exchanges the code that the provider of the organisation sent to the web app for a session. The state counts once, in the browser that began.',
    errors: CALLBACK_ERRORS,
    response: SsoSessionResponse,
  })
  callback(
    @Body() returned: ReturnedRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SsoSessionResponse> {
    return this.signIn.callback('sso_org', returned, request, response);
  }

  @Get('callback/')
  @Header('Cache-Control', 'no-store')
  @Public()
  @Route({
    summary: "Sign in with one's organisation, by query",
    description: 'As the POST, for providers that lead back with `code` and `state` in the query.',
    errors: CALLBACK_ERRORS,
    response: SsoSessionResponse,
  })
  callbackByQuery(
    @Query() returned: ReturnedRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SsoSessionResponse> {
    return this.signIn.callback('sso_org', returned, request, response);
  }

  @Post('link-exchange/')
  @Header('Cache-Control', 'no-store')
  @Route({
    summary: "Verify one's account at the organisation, to link it",
    description: 'Moves me into the organisation when my verified address is of its domain and I am on my own.',
    errors: LINK_EXCHANGE_ERRORS,
    response: LinkExchangeResponse,
    open: true,
  })
  async linkExchange(
    @CurrentUser() viewer: Principal,
    @Body() returned: ReturnedRequest,
    @Req() request: Request,
  ): Promise<LinkExchangeResponse> {
    try {
      return await this.signIn.linkExchange('sso_org', returned, viewer, request);
    } catch (error) {
      // docs/contract/accounts.md#single-sign-on: here it is 503, in the callback 404.
      if (error instanceof NotFoundError && error.code === 'credentials_not_found')
        throw new UnavailableError(error.message, { code: 'sso_not_configured' });
      throw error;
    }
  }

  private async demandPlan(domain: string): Promise<void> {
    if (!this.gates.areOpen)
      await this.gates.checkOrganization((await this.setup.findOrganization(domain)) ?? 0, 'sso_scim');
  }
}
