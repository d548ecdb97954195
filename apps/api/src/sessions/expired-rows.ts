import { IdempotencyStore, SessionService } from '@app/auth';
import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';

const EVERY_SECONDS = 300;

/** Deletes what has expired: sessions, tokens, tickets, idempotency keys. */
@Injectable()
export class ExpiredRows implements OnModuleInit {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly sessions: SessionService,
    private readonly idempotency: IdempotencyStore,
  ) {}

  onModuleInit(): void {
    this.tasks.every('expired-rows', EVERY_SECONDS, async () => {
      await this.sessions.purge();
      await this.idempotency.purge();
    });
  }
}
