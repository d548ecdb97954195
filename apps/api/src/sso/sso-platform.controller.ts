import { CurrentUser, type Principal, Public } from '@app/auth';
import { Body, Controller, Get, Header, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { SsoExchange } from './sso-exchange.js';
import { SsoSignIn } from './sso-sign-in.js';
import {
  AuthorizeResponse,
  LinkExchangeResponse,
  PlatformAuthorizeQuery,
  ReturnedRequest,
  SsoSessionResponse,
} from './sso.dto.js';
import { CALLBACK_ERRORS, LINK_EXCHANGE_ERRORS } from './sso-errors.js';

@ApiTags('Single sign-on')
@PartOf('core')
@Controller('api/v1/auth/sso_platform')
export class SsoPlatformController {
  constructor(
    private readonly exchange: SsoExchange,
    private readonly signIn: SsoSignIn,
  ) {}

  @Get('authorize/')
  @Header('Cache-Control', 'no-store')
  @Public()
  @Route({
    summary: "Begin to sign in with the platform's provider",
    description: 'Sets the cookie `sso_flow`.',
    errors: { 502: 'detail' },
    response: AuthorizeResponse,
  })
  async authorize(
    @Query() { redirect_path }: PlatformAuthorizeQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthorizeResponse> {
    const { url, state } = await this.exchange.beginForPlatform(redirect_path ?? null, request, response);
    return { auth_url: url, state };
  }

  @Post('callback/')
  @Header('Cache-Control', 'no-store')
  @Public()
  @Route({
    summary: "Sign in with the platform's provider",
    description:
      'Exchanges the code that the provider sent to the web app for a session. The state counts once, in the browser that began.',
    errors: CALLBACK_ERRORS,
    response: SsoSessionResponse,
  })
  callback(
    @Body() returned: ReturnedRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SsoSessionResponse> {
    return this.signIn.callback('sso_platform', returned, request, response);
  }

  @Get('callback/')
  @Header('Cache-Control', 'no-store')
  @Public()
  @Route({
    summary: "Sign in with the platform's provider, by query",
    description: 'As the POST, for providers that lead back with `code` and `state` in the query.',
    errors: CALLBACK_ERRORS,
    response: SsoSessionResponse,
  })
  callbackByQuery(
    @Query() returned: ReturnedRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SsoSessionResponse> {
    return this.signIn.callback('sso_platform', returned, request, response);
  }

  @Post('link-exchange/')
  @Header('Cache-Control', 'no-store')
  @Route({
    summary: "Verify one's account at the platform's provider, to link it",
    description: 'Exchanges the code of a sign-in that was begun to link the account at the provider with this one.',
    errors: LINK_EXCHANGE_ERRORS,
    response: LinkExchangeResponse,
    open: true,
  })
  linkExchange(
    @CurrentUser() viewer: Principal,
    @Body() returned: ReturnedRequest,
    @Req() request: Request,
  ): Promise<LinkExchangeResponse> {
    return this.signIn.linkExchange('sso_platform', returned, viewer, request);
  }
}
