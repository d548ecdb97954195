import { DedicatedAgentModule, RUN_ENDED, type RunEndedListener, RunFollower } from '@app/dedicated-agent';
import { Module } from '@nestjs/common';
import { FollowRunProcessor } from './follow-run.processor.js';

/** Runs of dedicated agents, as this process follows them. */
@Module({
  imports: [DedicatedAgentModule.forRoot()],
  providers: [
    // What is done when a run ends. One line each.
    { provide: RUN_ENDED, useFactory: (): readonly RunEndedListener[] => [] },
    RunFollower,
    FollowRunProcessor,
  ],
})
export class DedicatedAgentAtWorkModule {}
