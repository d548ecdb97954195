import { CurrentUser, Public, type Principal } from '@app/auth';
import { InvalidRequestError, NotFoundError } from '@app/common';
import {
  OAuthDiscovery,
  OAuthSettings,
  ServerProbe,
  ServerRecords,
  SignInCompletion,
  SignInFailedError,
  SignInStart,
} from '@app/mcp';
import { Body, Controller, Get, Header, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IntegerParam } from '../../http/params.js';
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

/** Sign-in to tool servers (document 1, section 4.5; document 3, B3). */
@ApiTags('Tool servers')
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
    summary: 'Begin to sign in to a tool server',
    description:
      '400 with `sign_in_not_selected` (auth_type is not `oauth`), `sign_in_not_supported`, `discovery_failed`, ' +
      '`needs_admin`, `invalid_scope` or `registration_refused`.',
    response: StartSignInResponse,
    rate,
  })
  async start(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() { scopes = null }: StartSignInRequest,
  ): Promise<StartSignInResponse> {
    return toStartSignInResponse(await this.signIn.start(viewer.userId, id, scopes));
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
    @Body() { code, state, iss }: SignInReturnedRequest,
  ): Promise<ProbeResponse> {
    const serverId = await this.complete(viewer, { code, state, iss: iss || null });
    return toProbeResponse(await this.probe.test(viewer.userId, serverId));
  }

  @Public()
  @Get('oauth/client-metadata.json')
  @Header('Cache-Control', 'public, max-age=3600')
  @Route({
    summary: 'This deployment as a client of authorization servers',
    errors: { 404: 'detail' },
    description: 'A client id metadata document. 404 unless PUBLIC_URL begins with https://.',
    response: ClientMetadataResponse,
  })
  clientMetadata(): ClientMetadataResponse {
    const { clientMetadataUrl } = this.settings;
    if (!clientMetadataUrl) throw new NotFoundError();
    return {
      client_id: clientMetadataUrl,
      ...this.settings.clientMetadata(),
      token_endpoint_auth_method: 'none',
    };
  }

  private async complete(viewer: Principal, returned: { code: string; state: string; iss: string | null }) {
    try {
      return await this.completion.complete(viewer, returned);
    } catch (error) {
      if (!(error instanceof SignInFailedError)) throw error;
      const server = toServerResponse(await this.records.get(viewer.userId, error.serverId));
      throw new InvalidRequestError(error.message, { code: error.code, extra: { server } });
    }
  }
}
