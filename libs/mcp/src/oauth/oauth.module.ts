import type { AppConfig } from '@app/config';
import { EgressGuard } from '@app/integrations';
import { type DynamicModule, Module } from '@nestjs/common';
import { McpOAuthTokens } from '../client/authorization.js';
import { AuthorizationServers } from './authorization-servers.js';
import { OAuthClients } from './oauth-clients.js';
import { OAuthDiscovery } from './oauth-discovery.js';
import { OAuthFlows } from './oauth-flows.js';
import { OAuthGrants } from './oauth-grants.js';
import { OAuthHttp } from './oauth-http.js';
import { OAuthSettings } from './oauth-settings.js';
import { OAuthTokens } from './oauth-tokens.js';
import { ProtectedResources } from './protected-resources.js';
import { Revocations } from './revocations.js';
import { SignInCompletion } from './sign-in-completion.js';
import { SignInStart } from './sign-in-start.js';
import { TokenEndpoint } from './token-endpoint.js';
import { TokenRefresh } from './token-refresh.js';

/** Sign-in to tool servers. Stands on the app's modules for the database, secrets and the audit log. */
@Module({})
export class McpOAuthModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: McpOAuthModule,
      providers: [
        { provide: OAuthSettings, useFactory: () => new OAuthSettings(config) },
        {
          provide: OAuthHttp,
          useFactory: () => new OAuthHttp(new EgressGuard({ allowedHosts: config.mcp.hosts })),
        },
        { provide: TokenEndpoint, useFactory: (http: OAuthHttp) => new TokenEndpoint(http), inject: [OAuthHttp] },
        {
          provide: AuthorizationServers,
          useFactory: (http: OAuthHttp) => new AuthorizationServers(http),
          inject: [OAuthHttp],
        },
        {
          provide: ProtectedResources,
          useFactory: (http: OAuthHttp) => new ProtectedResources(http),
          inject: [OAuthHttp],
        },
        OAuthClients,
        OAuthDiscovery,
        OAuthFlows,
        OAuthGrants,
        SignInCompletion,
        SignInStart,
        OAuthTokens,
        Revocations,
        TokenRefresh,
        { provide: McpOAuthTokens, useExisting: OAuthTokens },
      ],
      exports: [
        McpOAuthTokens,
        OAuthClients,
        OAuthDiscovery,
        OAuthFlows,
        OAuthSettings,
        Revocations,
        SignInCompletion,
        SignInStart,
      ],
    };
  }
}
