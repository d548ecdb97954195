import { type AppConfig, secretValues } from '@app/config';
import {
  AgentRunRetention,
  BudgetRetention,
  DedicatedAgentModule,
  GatewaySpending,
  JobEnds,
  JobNotices,
  keepConsoleAnswer,
  KnownSecrets,
  RUN_ENDED,
  type RunEndedListener,
  RunFollower,
  RunLogCompaction,
  RunLogWriter,
  ShownEvents,
} from '@app/dedicated-agent';
import { type DynamicModule, Module } from '@nestjs/common';
import { AGENT_RUN_DAYS, AgentRunSweeps } from './agent-run-sweeps.js';
import { AgentsOfPlans } from './agents-of-plans.js';
import { JobTicks } from './job-ticks.js';
import { FollowRunProcessor } from './follow-run.processor.js';
import { DEPLOYMENT_SECRETS, SecretsAtWork } from './secrets-at-work.js';

/** Runs of dedicated agents, as this process follows them. */
@Module({})
export class DedicatedAgentAtWorkModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: DedicatedAgentAtWorkModule,
      imports: [DedicatedAgentModule.forRoot(config)],
      providers: [
        // What is done when a run ends. One line each.
        {
          provide: RUN_ENDED,
          inject: [JobEnds, GatewaySpending, JobNotices],
          useFactory: (jobs: JobEnds, spending: GatewaySpending, notices: JobNotices): readonly RunEndedListener[] => [
            (tx, run) => jobs.ended(tx, run),
            (tx, run) => spending.ended(tx, run),
            (tx, run) => notices.ended(tx, run),
            keepConsoleAnswer,
          ],
        },
        JobEnds,
        GatewaySpending,
        BudgetRetention,
        JobTicks,
        RunFollower,
        RunLogWriter,
        ShownEvents,
        { provide: DEPLOYMENT_SECRETS, useValue: secretValues(config) },
        { provide: KnownSecrets, useClass: SecretsAtWork },
        FollowRunProcessor,
        AgentRunRetention,
        RunLogCompaction,
        { provide: AGENT_RUN_DAYS, useValue: config.dedicatedAgents.runDays },
        AgentRunSweeps,
        AgentsOfPlans,
      ],
    };
  }
}
