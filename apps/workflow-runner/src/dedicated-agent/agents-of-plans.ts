import { AgentsByPlan } from '@app/dedicated-agent';
import { LiveBus } from '@app/live';
import { SoleTasks } from '@app/queues';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';

const SWEEP_SECONDS = 300;

/** Agents follow the plans of their owners: at once where a push tells of a change, and in rounds for the rest. */
@Injectable()
export class AgentsOfPlans implements OnModuleInit {
  private readonly logger = new Logger(AgentsOfPlans.name);

  constructor(
    private readonly agents: AgentsByPlan,
    private readonly live: LiveBus,
    private readonly tasks: SoleTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.every('agents by plan', SWEEP_SECONDS, () => this.agents.settleAll());
    const subscribed = this.live.subscribe('entitlements', (changed) => {
      const settling =
        'userId' in changed
          ? this.agents.settle(changed.userId)
          : this.agents.settleOrganization(changed.organizationId);
      settling.catch((error: Error) => this.logger.warn(`An agent follows its plan later: ${error.message}`));
    });
    subscribed.catch((error: Error) => this.logger.warn(`Changes of plans are not pushed: ${error.message}`));
  }
}
