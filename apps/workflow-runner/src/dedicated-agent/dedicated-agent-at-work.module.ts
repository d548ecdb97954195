import type { AppConfig } from '@app/config';
import {
  AgentRunRetention,
  DedicatedAgentModule,
  JobEnds,
  JobNotices,
  RUN_ENDED,
  type RunEndedListener,
  RunFollower,
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
          inject: [JobEnds, JobNotices],
          useFactory: (jobs: JobEnds, notices: JobNotices): readonly RunEndedListener[] => [
            (tx, run) => jobs.ended(tx, run),
            (tx, run) => notices.ended(tx, run),
          ],
        },
        JobEnds,
        JobTicks,
        RunFollower,
        FollowRunProcessor,
        AgentRunRetention,
        { provide: AGENT_RUN_DAYS, useValue: config.dedicatedAgents.runDays },
        AgentRunSweeps,
      ],
    };
  }
}
