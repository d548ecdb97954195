import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainProof } from './domain-proof.js';
import { SsoFlows } from './sso-flows.js';
import { SsoLinks } from './sso-links.js';
import { SsoSetupTokens } from './sso-setup-tokens.js';

const EVERY_SECONDS = 300;

/** Forgets what has expired. */
@Injectable()
export class SsoMaintenance implements OnModuleInit {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly flows: SsoFlows,
    private readonly links: SsoLinks,
    private readonly proof: DomainProof,
    private readonly tokens: SsoSetupTokens,
  ) {}

  onModuleInit(): void {
    this.tasks.every('sso', EVERY_SECONDS, async () => {
      await this.flows.purge();
      await this.links.purge();
      await this.proof.purge();
      await this.tokens.purge();
    });
  }
}
