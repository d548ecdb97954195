import { PasswordHasher, SessionService } from '@app/auth';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ExpiredRows } from './expired-rows.js';
import { PasswordSignIn } from './password-sign-in.js';
import { RefreshCookie } from './refresh-cookie.js';
import { SessionsController } from './sessions.controller.js';
import { SocketTicketsController } from './socket-tickets.controller.js';

@Module({})
export class SessionsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: SessionsModule,
      controllers: [SessionsController, SocketTicketsController],
      providers: [
        ExpiredRows,
        { provide: RefreshCookie, useFactory: () => new RefreshCookie(config.http) },
        {
          provide: PasswordSignIn,
          inject: [DataSource, PasswordHasher, SessionService],
          useFactory: (dataSource: DataSource, hasher: PasswordHasher, sessions: SessionService) =>
            new PasswordSignIn(dataSource, hasher, sessions, config.sessions.emailVerification),
        },
      ],
    };
  }
}
