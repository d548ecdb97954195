import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuthorizationRequests } from './authorization-requests.js';
import { OAuthClients } from './oauth-clients.js';

const EVERY_SECONDS = 900;

/** Forgets requests that are over, and clients that nobody let in. */
@Injectable()
export class OAuthMaintenance implements OnModuleInit {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly requests: AuthorizationRequests,
    private readonly clients: OAuthClients,
  ) {}

  onModuleInit(): void {
    this.tasks.every('oauth-maintenance', EVERY_SECONDS, async () => {
      await this.requests.purge();
      await this.clients.purge();
    });
  }
}
