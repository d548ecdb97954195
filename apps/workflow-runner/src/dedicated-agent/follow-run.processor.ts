import { type FollowedRun, followWork, RunFollower } from '@app/dedicated-agent';
import { type Claim, Performs, type WorkEnd } from '@app/work';
import { Injectable } from '@nestjs/common';

/** Follows runs of dedicated agents at their gateway. */
@Injectable()
export class FollowRunProcessor {
  constructor(private readonly follower: RunFollower) {}

  @Performs(followWork)
  follow(claim: Claim<FollowedRun>, signal: AbortSignal): Promise<WorkEnd> {
    return this.follower.follow(claim, signal);
  }
}
