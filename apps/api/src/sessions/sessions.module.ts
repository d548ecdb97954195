import { AuditLog } from '@app/audit';
import { PasswordSignIn, SessionService, SignInMethods } from '@app/auth';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { InvitationRedeemer } from '../invitations/invitation-redeemer.js';
import { ExpiredRows } from './expired-rows.js';
import { RefreshCookie } from './refresh-cookie.js';
import { SessionsController } from './sessions.controller.js';
import { SignIn } from './sign-in.js';
import { SocketTicketsController } from './socket-tickets.controller.js';

/** Sessions, and what every other way to sign in ends with. Global. */
@Module({})
export class SessionsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: SessionsModule,
      global: true,
      controllers: [SessionsController, SocketTicketsController],
      providers: [
        ExpiredRows,
        PasswordSignIn,
        SignInMethods,
        { provide: RefreshCookie, useFactory: () => new RefreshCookie(config.http) },
        {
          provide: SignIn,
          inject: [DataSource, SessionService, RefreshCookie, AuditLog, InvitationRedeemer],
          useFactory: (
            dataSource: DataSource,
            sessions: SessionService,
            cookie: RefreshCookie,
            audit: AuditLog,
            invitations: InvitationRedeemer,
          ) => new SignIn(dataSource, sessions, cookie, audit, invitations, config.sessions.emailVerification),
        },
      ],
      exports: [SignIn, SignInMethods, RefreshCookie],
    };
  }
}
