import { type DynamicModule, Module } from '@nestjs/common';
import { AgentLife } from './agents/agent-life.js';
import { DedicatedAgents } from './agents/dedicated-agents.js';
import { EmbeddedGateway } from './embedded/embedded-gateway.js';
import { AgentGateway } from './gateway/agent-gateway.js';
import { AgentRunFeed } from './runs/agent-run-feed.js';
import { jobProviders } from './jobs/job-providers.js';
import { JobClock } from './jobs/job-clock.js';
import { AgentJobs } from './jobs/jobs.js';
import { AgentRuns } from './runs/agent-runs.js';
import { RunSteers } from './runs/run-steers.js';

const providers = [DedicatedAgents, AgentLife, AgentRunFeed, AgentRuns, RunSteers];

/** Dedicated agents and their runs. Stands on the app's ModelsModule, WorkModule and TurnsModule. */
@Module({})
export class DedicatedAgentModule {
  static forRoot(): DynamicModule {
    return {
      module: DedicatedAgentModule,
      global: true,
      providers: [...providers, ...jobProviders, { provide: AgentGateway, useClass: EmbeddedGateway }],
      exports: [...providers, AgentJobs, JobClock, AgentGateway],
    };
  }
}
