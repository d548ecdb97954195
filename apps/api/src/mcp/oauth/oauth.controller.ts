import { Public } from '@app/auth';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Route, type RateLimit } from '../../http/route.js';
import { McpAddress } from '../mcp-address.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { ConsentPage } from './consent-page.js';
import { OAuthClients } from './oauth-clients.js';
import { showErrorPage } from './error-page.js';
import { answerOAuth, OAuthError } from './oauth-error.js';
import { OAuthTokens } from './oauth-tokens.js';
import { MCP_SCOPES } from './oauth-scopes.js';

const JSON_BODY = { contentType: 'application/json', description: 'As the standard says.' };
const REGISTRATION: RateLimit = { bucket: 'oauth-register', perMinute: 10 };

/** The endpoints that MCP clients call to be let in by a user (RFC 9728, 8414, 7591, 6749 with PKCE, 7009). */
@ApiTags('MCP sign-in')
@Controller()
export class OAuthController {
  constructor(
    private readonly address: McpAddress,
    private readonly page: ConsentPage,
    private readonly clients: OAuthClients,
    private readonly requests: AuthorizationRequests,
    private readonly tokens: OAuthTokens,
  ) {}

  @Get('.well-known/oauth-protected-resource/mcp/')
  @Public()
  @Route({ summary: 'Where tokens for /mcp/ come from (RFC 9728)', optionalSlash: true, response: JSON_BODY })
  resource(@Req() request: Request, @Res() response: Response): void {
    response.json(this.resourceMetadata(request));
  }

  @Get('.well-known/oauth-protected-resource')
  @Public()
  @Route({ summary: 'The same, for clients that look at the root', response: JSON_BODY })
  rootResource(@Req() request: Request, @Res() response: Response): void {
    response.json(this.resourceMetadata(request));
  }

  @Get('.well-known/oauth-authorization-server')
  @Public()
  @Route({ summary: 'What the sign-in of MCP clients offers (RFC 8414)', response: JSON_BODY })
  server(@Req() request: Request, @Res() response: Response): void {
    const base = this.address.base(request);
    response.json({
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize/`,
      token_endpoint: `${base}/oauth/token/`,
      registration_endpoint: `${base}/oauth/register/`,
      revocation_endpoint: `${base}/oauth/revoke/`,
      scopes_supported: MCP_SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  }

  @Post('oauth/register/')
  @Public()
  @Route({
    summary: 'Register an MCP client (RFC 7591)',
    errors: 'error',
    response: JSON_BODY,
    status: 201,
    rate: REGISTRATION,
  })
  register(@Req() request: Request, @Res() response: Response): Promise<void> {
    return answerOAuth(response, () => this.clients.register(request.body), 201);
  }

  @Get('oauth/authorize/')
  @Public()
  @Route({
    summary: 'Ask a user for access (RFC 6749, PKCE required)',
    description:
      "Leads to the web app's page /oauth/consent?request=<id>, which asks the signed-in user. A client that asks wrongly is " +
      'led back only to the machine of the browser; elsewhere a page (or, for programs, JSON) says what is wrong.',
    errors: { 400: 'error', 401: 'error' },
    response: { contentType: 'text/plain', description: 'On to the web app, or back to the client.' },
    status: 302,
  })
  async authorize(@Req() request: Request, @Res() response: Response): Promise<void> {
    response.setHeader('Cache-Control', 'no-store');
    const base = this.address.base(request);
    try {
      const begun = await this.requests.begin(request.query, this.address.resource(request), base);
      if ('id' in begun) response.setHeader('Location', this.page.addressOf(begun.id, base));
      else if (begun.isHarmless) response.setHeader('Location', begun.redirectTo);
      else return refuse(request, response, 400, { ...begun, target: begun.redirectTo });
      response.status(302).end();
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      refuse(request, response, error.status, { code: error.code, message: error.message, target: null });
    }
  }

  @Post('oauth/token/')
  @Public()
  @Route({ summary: 'Exchange a code, or refresh a token', errors: 'error', response: JSON_BODY })
  token(@Req() request: Request, @Res() response: Response): Promise<void> {
    const origin = { ip: request.ip ?? '' };
    return answerOAuth(response, () => this.tokens.issue(request.body, this.address.resource(request), origin));
  }

  @Post('oauth/revoke/')
  @Public()
  @Route({ summary: 'Take back a token (RFC 7009)', errors: 'error', response: JSON_BODY })
  revoke(@Req() request: Request, @Res() response: Response): Promise<void> {
    return answerOAuth(response, async () => {
      await this.tokens.revoke(request.body);
      return {};
    });
  }

  private resourceMetadata(request: Request): object {
    return {
      resource: this.address.resource(request),
      resource_name: 'Atrium',
      authorization_servers: [this.address.base(request)],
      scopes_supported: MCP_SCOPES,
      bearer_methods_supported: ['header'],
    };
  }
}

/** A person sees a page, a program the words of OAuth. */
function refuse(
  request: Request,
  response: Response,
  status: number,
  { code, message, target }: { code: string; message: string; target: string | null },
): void {
  response.vary('Accept');
  if (request.accepts(['json', 'html']) === 'html') showErrorPage(response, status, { code, message, target });
  else response.status(status).json({ error: code, error_description: message, code });
}
