import { AuditLog } from '@app/audit';
import { Admission, PasswordSignIn, SessionService, SignInMethods } from '@app/auth';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
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
          provide: Admission,
          inject: [DataSource, SessionService, AuditLog],
          useFactory: (dataSource: DataSource, sessions: SessionService, audit: AuditLog) =>
            new Admission(dataSource, sessions, audit, config.sessions.emailVerification),
        },
        SignIn,
      ],
      exports: [SignIn, SignInMethods, RefreshCookie],
    };
  }
}
