import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { PasswordHasher } from './passwords/password-hasher.js';
import { CachedPrincipals } from './principal/cached-principals.js';
import { PrincipalResolver } from './principal/principal-resolver.js';
import { SessionStrategy } from './principal/session.strategy.js';
import { ApiTokens } from './sessions/api-tokens.js';
import { RefreshService } from './sessions/refresh.service.js';
import { SessionLifetimes } from './sessions/session-lifetimes.js';
import { SessionService } from './sessions/session.service.js';
import { SocketTickets } from './sessions/socket-tickets.js';

/** Who is calling. Needs `LiveModule` and a `DataSource`. */
@Module({})
export class AuthModule {
  static forRoot({ sessions }: AppConfig): DynamicModule {
    const lifetimes = new SessionLifetimes(
      sessions.accessTokenSeconds,
      sessions.absoluteSeconds,
      sessions.refreshGraceSeconds,
    );
    return {
      module: AuthModule,
      global: true,
      imports: [PassportModule],
      providers: [
        { provide: SessionLifetimes, useValue: lifetimes },
        { provide: PasswordHasher, useFactory: () => new PasswordHasher(sessions.bcryptCost, sessions.hashesAtOnce) },
        CachedPrincipals,
        { provide: PrincipalResolver, useExisting: CachedPrincipals },
        SessionStrategy,
        SessionService,
        RefreshService,
        SocketTickets,
        ApiTokens,
      ],
      exports: [
        PrincipalResolver,
        CachedPrincipals,
        SessionStrategy,
        PasswordHasher,
        SessionService,
        RefreshService,
        SocketTickets,
        ApiTokens,
      ],
    };
  }
}
