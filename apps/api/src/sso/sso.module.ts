import { Resolver } from 'node:dns/promises';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { ProfileModule } from '../profile/profile.module.js';
import { DomainProof, newResolver } from './domain-proof.js';
import { FlowCookie } from './flow-cookie.js';
import { OidcClient } from './oidc/oidc-client.js';
import { ProviderConfigurations } from './oidc/provider-configurations.js';
import { SsoAccounts } from './sso-accounts.js';
import { SsoClients } from './sso-clients.js';
import { SsoExchange } from './sso-exchange.js';
import { SsoFlows } from './sso-flows.js';
import { SsoIdentities } from './sso-identities.js';
import { SsoLinksController } from './sso-links.controller.js';
import { SsoLinks } from './sso-links.js';
import { SsoMembership } from './sso-membership.js';
import { SsoOrgController } from './sso-org.controller.js';
import { SsoPlatformController } from './sso-platform.controller.js';
import { SsoSettings } from './sso-settings.js';
import { SsoSetup } from './sso-setup.js';
import { SsoSetupTokens } from './sso-setup-tokens.js';
import { SsoSignIn } from './sso-sign-in.js';
import { SsoUpkeep } from './sso-upkeep.js';

/** Sign-in with an organisation's provider (`sso_org`) or the deployment's (`sso_platform`), by OpenID Connect. */
@Module({})
export class SsoModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: SsoModule,
      imports: [ProfileModule],
      controllers: [SsoOrgController, SsoPlatformController, SsoLinksController],
      providers: [
        DomainProof,
        OidcClient,
        SsoAccounts,
        SsoClients,
        SsoExchange,
        SsoFlows,
        SsoIdentities,
        SsoLinks,
        SsoMembership,
        SsoSetup,
        SsoSetupTokens,
        SsoSignIn,
        SsoUpkeep,
        { provide: Resolver, useFactory: newResolver },
        { provide: FlowCookie, useFactory: () => new FlowCookie(config.http) },
        { provide: SsoSettings, useFactory: () => new SsoSettings(config) },
        { provide: ProviderConfigurations, useFactory: () => new ProviderConfigurations(config.sso.allowHttp) },
      ],
    };
  }
}
