import type { AppConfig } from '@app/config';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AgentLife } from './agents/agent-life.js';
import { AgentsByPlan } from './agents/agents-by-plan.js';
import { DedicatedAgents } from './agents/dedicated-agents.js';
import { AgentBudget } from './budget/agent-budget.js';
import { BUDGET_DEFAULTS, BudgetBook } from './budget/budget-book.js';
import { BudgetCaps } from './budget/budget-caps.js';
import { budgetDefaultsOf } from './budget/budget-defaults.js';
import { AgentActivity } from './console/agent-activity.js';
import { AgentConsole } from './console/agent-console.js';
import { EmbeddedGateway } from './embedded/embedded-gateway.js';
import { AgentGateway } from './gateway/agent-gateway.js';
import { PRICED_MODELS } from './hermes/gateway-spending.js';
import { HermesGateway } from './hermes/hermes-gateway.js';
import { AgentRunFeed } from './runs/agent-run-feed.js';
import { jobProviders } from './jobs/job-providers.js';
import { JobNotices } from './jobs/job-notices.js';
import { JobClock } from './jobs/job-clock.js';
import { AgentJobs } from './jobs/jobs.js';
import { AgentRuns } from './runs/agent-runs.js';
import { RunSteers } from './runs/run-steers.js';

const providers = [
  DedicatedAgents,
  AgentLife,
  AgentsByPlan,
  AgentRunFeed,
  AgentRuns,
  RunSteers,
  AgentConsole,
  AgentActivity,
  BudgetBook,
  BudgetCaps,
  AgentBudget,
];

/** Whoever the configuration names. */
function gatewayOf({ agentGateway }: AppConfig): Provider {
  const { kind, url: baseUrl, key: apiKey, profile, timeoutSeconds } = agentGateway;
  if (kind !== 'hermes' || !baseUrl || !apiKey) return { provide: AgentGateway, useClass: EmbeddedGateway };
  const options = { baseUrl, apiKey, profile: profile === 'none' ? null : profile, timeoutSeconds };
  return { provide: AgentGateway, useFactory: () => new HermesGateway(options) };
}

/** Dedicated agents and their runs. Stands on the app's ModelsModule, WorkModule and TurnsModule. */
@Module({})
export class DedicatedAgentModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: DedicatedAgentModule,
      global: true,
      providers: [
        ...providers,
        ...jobProviders,
        gatewayOf(config),
        { provide: BUDGET_DEFAULTS, useValue: budgetDefaultsOf(config) },
        { provide: PRICED_MODELS, useValue: config.models.list },
      ],
      exports: [...providers, AgentJobs, JobClock, JobNotices, AgentGateway, PRICED_MODELS],
    };
  }
}
