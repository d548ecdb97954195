import { CurrentUser, Public, type Principal } from '@app/auth';
import { InvalidRequestError, NotFoundError } from '@app/common';
import {
  OAuthDiscovery,
  OAuthSettings,
  type Returned,
  ServerProbe,
  ServerRecords,
  SignInCompletion,
  SignInFailedError,
  SignInStart,
} from '@app/mcp';
import { Body, Controller, Get, Header, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IntegerParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { ProbeResponse, toProbeResponse, toServerResponse } from '../server.dto.js';
import {
  ClientMetadataResponse,
  DiscoverRequest,
  DiscoverResponse,
  SignInReturnedRequest,
  StartSignInRequest,
  StartSignInResponse,
  toDiscoveryResponse,
  toStartSignInResponse,
} from './oauth.dto.js';

/** Both ask hosts that a user names for several documents. */
const rate = { bucket: 'mcp-oauth', perMinute: 30 };

/** Sign-in to tool servers (docs/contract/mcp.md#tool-servers). */
@ApiTags('Tool servers')
@PartOf('core')
@Controller('mcp-servers')
export class McpOAuthController {
  constructor(
    private readonly discovery: OAuthDiscovery,
    private readonly signIn: SignInStart,
    private readonly completion: SignInCompletion,
    private readonly settings: OAuthSettings,
    private readonly records: ServerRecords,
    private readonly probe: ServerProbe,
  ) {}

  @Post('servers/discover/')
  @Route({
    summary: 'Find out whether a tool server can be signed in to',
    description: 'Always 200 for what is wrong with the server: `error` says what.',
    response: DiscoverResponse,
    rate,
  })
  async discover(@Body() { url }: DiscoverRequest): Promise<DiscoverResponse> {
    return { oauth: toDiscoveryResponse(await this.discovery.describe(url)) };
  }

  @Post('servers/:id/oauth/start/')
  @Route({
    bodyOptional: true,
    summary: 'Begin to sign in to a tool server',
    description:
      '400 with `sign_in_not_selected` (auth_type is not `oauth`), `sign_in_not_supported`, `discovery_failed`, ' +
      '`needs_admin`, `confirmation_required` (send `confirm_host` if you trust the host that it names), `invalid_scope` ' +
      'or `registration_refused`.',
    response: StartSignInResponse,
    rate,
  })
  async start(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() { scopes = null, confirm_host: confirmedHost = null }: StartSignInRequest,
  ): Promise<StartSignInResponse> {
    return toStartSignInResponse(await this.signIn.start(viewer.userId, id, { scopes, confirmedHost }));
  }

  @Post('oauth/callback/')
  @Route({
    summary: 'End a sign-in to a tool server',
    description:
      'Uses the state up, exchanges the code, keeps the tokens and runs a test. 400 with `invalid_state`; or, with the ' +
      'server, `issuer_mismatch`, `code_rejected`, `client_refused`, `provider_unreachable` or `server_changed`.',
    response: ProbeResponse,
    rate,
  })
  async callback(
    @CurrentUser() viewer: Principal,
    @Body() { code, state, iss, redirect_uri }: SignInReturnedRequest,
  ): Promise<ProbeResponse> {
    const serverId = await this.complete(viewer, { code, state, iss: iss || null, redirectUri: redirect_uri || null });
    return toProbeResponse(await this.probe.test(viewer.userId, serverId));
  }

  @Public()
  @Get('oauth/client-metadata/:name')
  @Header('Cache-Control', 'public, max-age=3600')
  @Route({
    summary: 'This deployment as a client of one authorization server',
    errors: { 404: 'detail' },
    description:
      'A client id metadata document with the redirect address of that server alone. 404 unless PUBLIC_URL begins with ' +
      'https://.',
    response: ClientMetadataResponse,
  })
  clientMetadataOf(@Param('name') name: string): ClientMetadataResponse {
    return this.published(/^(.*)\.json$/.exec(name)?.[1] ?? '');
  }

  @Public()
  @Get('oauth/client-metadata.json')
  @Header('Cache-Control', 'public, max-age=3600')
  @Route({
    summary: 'This deployment as a client of authorization servers, as it was once',
    errors: { 404: 'detail' },
    description: 'For sign-ins of before each authorization server had a redirect address of its own.',
    response: ClientMetadataResponse,
  })
  clientMetadata(): ClientMetadataResponse {
    return this.published(null);
  }

  private published(name: string | null): ClientMetadataResponse {
    const document = this.settings.publishedMetadata(name);
    if (!document) throw new NotFoundError();
    return document;
  }

  private async complete(viewer: Principal, returned: Returned) {
    try {
      return await this.completion.complete(viewer, returned);
    } catch (error) {
      if (!(error instanceof SignInFailedError)) throw error;
      const server = toServerResponse(await this.records.get(viewer.userId, error.serverId));
      throw new InvalidRequestError(error.message, { code: error.code, extra: { server } });
    }
  }
}
