import { Resolver } from 'node:dns/promises';
import {
  DomainProof,
  newResolver,
  OidcClient,
  ProviderConfigurations,
  SsoAccounts,
  SsoClients,
  SsoFlows,
  SsoIdentities,
  SsoLinks,
  SsoMembership,
  SsoSettings,
  SsoSetup,
  SsoSetupTokens,
  SsoMaintenance,
} from '@app/auth';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { ProfileModule } from '../profile/profile.module.js';
import { FlowCookie } from './flow-cookie.js';
import { SsoExchange } from './sso-exchange.js';
import { SsoLinksController } from './sso-links.controller.js';
import { SsoOrgController } from './sso-org.controller.js';
import { SsoPlatformController } from './sso-platform.controller.js';
import { SsoSignIn } from './sso-sign-in.js';

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
        SsoMaintenance,
        { provide: Resolver, useFactory: newResolver },
        { provide: FlowCookie, useFactory: () => new FlowCookie(config.http) },
        { provide: SsoSettings, useFactory: () => new SsoSettings(config) },
        { provide: ProviderConfigurations, useFactory: () => new ProviderConfigurations(config.sso.allowHttp) },
      ],
    };
  }
}
