import type { AppConfig } from '@app/config';
import {
  AgentRunRetention,
  DedicatedAgentModule,
  JobEnds,
  RUN_ENDED,
  type RunEndedListener,
  RunFollower,
  RunLogCompaction,
  RunLogWriter,
} from '@app/dedicated-agent';
import { type DynamicModule, Module } from '@nestjs/common';
import { AGENT_RUN_DAYS, AgentRunSweeps } from './agent-run-sweeps.js';
import { JobTicks } from './job-ticks.js';
import { FollowRunProcessor } from './follow-run.processor.js';

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
          inject: [JobEnds],
          useFactory: (jobs: JobEnds): readonly RunEndedListener[] => [(tx, run) => jobs.ended(tx, run)],
        },
        JobEnds,
        JobTicks,
        RunFollower,
        RunLogWriter,
        FollowRunProcessor,
        AgentRunRetention,
        RunLogCompaction,
        { provide: AGENT_RUN_DAYS, useValue: config.dedicatedAgents.runDays },
        AgentRunSweeps,
      ],
    };
  }
}
