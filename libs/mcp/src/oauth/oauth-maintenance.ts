import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OAuthClients } from './oauth-clients.js';
import { OAuthFlows } from './oauth-flows.js';
import { Revocations } from './revocations.js';

const REVOKE_SECONDS = 15;
const PURGE_SECONDS = 300;
const AT_ONCE = 20;

/** Tells providers what they have not heard yet, and forgets what has expired. Any number of processes may. */
@Injectable()
export class OAuthMaintenance implements OnModuleInit {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly flows: OAuthFlows,
    private readonly clients: OAuthClients,
    private readonly revocations: Revocations,
  ) {}

  onModuleInit(): void {
    this.tasks.every('tool server revocations', REVOKE_SECONDS, async () => {
      for (let done = 0; done < AT_ONCE; done += 1) if (!(await this.revocations.revokeNext())) return;
    });
    this.tasks.every('tool server sign-ins', PURGE_SECONDS, async () => {
      await this.flows.purge();
      await this.clients.purge();
    });
  }
}
