import { AuditLog } from '@app/audit';
import type { AppConfig } from '@app/config';
import { EgressGuard } from '@app/integrations';
import type { Provider } from '@nestjs/common';
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

const overHttp = <T>(service: new (http: OAuthHttp) => T): Provider => ({
  provide: service,
  inject: [OAuthHttp],
  useFactory: (http: OAuthHttp) => new service(http),
});

/** Sign-in to tool servers. Stands on the app's modules for the database and secrets. */
export function oauthProviders(config: AppConfig): Provider[] {
  return [
    // The log of what happened needs no more than the database; not every app has its module.
    AuditLog,
    { provide: OAuthSettings, useFactory: () => new OAuthSettings(config) },
    { provide: OAuthHttp, useFactory: () => new OAuthHttp(new EgressGuard({ allowedHosts: config.mcp.hosts })) },
    overHttp(TokenEndpoint),
    overHttp(AuthorizationServers),
    overHttp(ProtectedResources),
    OAuthClients,
    OAuthDiscovery,
    OAuthFlows,
    OAuthGrants,
    OAuthTokens,
    Revocations,
    SignInCompletion,
    SignInStart,
    TokenRefresh,
    { provide: McpOAuthTokens, useExisting: OAuthTokens },
  ];
}

/** What apps use of it, beside the tokens that the client asks for. */
export const OAUTH_SERVICES = [
  McpOAuthTokens,
  OAuthClients,
  OAuthDiscovery,
  OAuthFlows,
  OAuthSettings,
  Revocations,
  SignInCompletion,
  SignInStart,
];
