import { LimitNotices } from '@app/entitlements';
import { SoleTasks } from '@app/queues';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

const LOOK_SECONDS = 15;
const OLD_SECONDS = 21_600;

/** Owners of pools hear of their limits within a minute. What did not change is not looked at. */
@Injectable()
export class LimitLooks implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly notices: LimitNotices,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('limits of plans', LOOK_SECONDS, async () => void (await this.notices.look()));
    this.tasks.every('old notices of limits', OLD_SECONDS, async () => void (await this.notices.forgetOld()));
  }
}
