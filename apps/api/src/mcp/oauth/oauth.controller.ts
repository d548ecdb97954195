import { AuthorizationRequests, MCP_SCOPES, OAuthClients, OAuthError, OAuthTokens, Public } from '@app/auth';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PartOf } from '../../http/part-of.js';
import { type RateLimit, Route } from '../../http/route.js';
import { McpAddress } from '../mcp-address.js';
import { ConsentPage } from './consent-page.js';
import { showErrorPage } from './error-page.js';
import { answerOAuth } from './oauth-answer.js';

/** JSON with the same fields is read, too. */
const FORM = ['application/x-www-form-urlencoded', 'application/json'] as const;
const JSON_BODY = { contentType: 'application/json', description: 'As the standard says.' };
const REGISTRATION: RateLimit = { bucket: 'oauth-register', perMinute: 10 };

/** The endpoints that MCP clients call to be let in by a user (RFC 9728, 8414, 7591, 6749 with PKCE, 7009). */
@ApiTags('MCP sign-in')
@PartOf('core')
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
  @Route({
    summary: 'Where tokens for /mcp/ come from (RFC 9728)',
    description: 'Names the endpoint, its authorization server and its scopes. The 401 of the endpoint leads here.',
    optionalSlash: true,
    response: JSON_BODY,
  })
  resource(@Req() request: Request, @Res() response: Response): void {
    response.json(this.resourceMetadata(request));
  }

  @Get('.well-known/oauth-protected-resource')
  @Public()
  @Route({
    summary: 'The same, for clients that look at the root',
    description: 'Says where tokens for the MCP endpoint come from, as the address below `/mcp/` does.',
    response: JSON_BODY,
  })
  rootResource(@Req() request: Request, @Res() response: Response): void {
    response.json(this.resourceMetadata(request));
  }

  @Get('.well-known/oauth-authorization-server')
  @Public()
  @Route({
    summary: 'What the sign-in of MCP clients offers (RFC 8414)',
    description:
      'Where MCP clients register, ask and exchange codes, and that PKCE with S256 is required. Clients read it by themselves.',
    response: JSON_BODY,
  })
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
    description:
      'Any program may; it gets an id and no rights before a person consents. Redirect addresses are https, or of this machine.',
    errors: 'error',
    response: JSON_BODY,
    status: 201,
    consumes: 'application/json',
    example: { client_name: 'Notes', redirect_uris: ['https://notes.example/callback'] },
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
    readsQuery: 'authorization',
    answersHeaders: ['Location'],
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
  @Route({
    summary: 'Exchange a code, or refresh a token',
    description: 'The code counts once and needs its PKCE verifier. A refresh token that is used twice ends its grant.',
    errors: 'error',
    response: JSON_BODY,
    consumes: FORM,
    example: {
      grant_type: 'authorization_code',
      code: 'Rk3vX9',
      client_id: '0198f1c2-7d3e-7a55-9b1e-3f6a1c2d4e5f',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      redirect_uri: 'https://notes.example/callback',
    },
  })
  token(@Req() request: Request, @Res() response: Response): Promise<void> {
    const origin = { ip: request.ip ?? '' };
    return answerOAuth(response, () => this.tokens.issue(request.body, this.address.resource(request), origin));
  }

  @Post('oauth/revoke/')
  @Public()
  @Route({
    summary: 'Take back a token (RFC 7009)',
    description: 'Ends the grant that the token is of. 200 for tokens that nobody knows, too.',
    errors: 'error',
    response: JSON_BODY,
    consumes: FORM,
    example: { token: 'Rk3vX9' },
  })
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
