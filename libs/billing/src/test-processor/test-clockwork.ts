import { SoleTasks } from '@app/queues';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SWEEP_EVERY } from '../lifecycle/sweep-every.js';
import { TestEvents } from './test-events.js';
import { TestPayer } from './test-payer.js';

/** Time at the test processor: trials end, periods are renewed, payments are tried again, events are told again. */
@Injectable()
export class TestClockwork implements OnModuleInit {
  constructor(
    private readonly payer: TestPayer,
    private readonly events: TestEvents,
    private readonly tasks: SoleTasks,
    @Inject(SWEEP_EVERY) private readonly seconds: number,
  ) {}

  onModuleInit(): void {
    this.tasks.every('renewals of the test processor', this.seconds, async () => {
      await this.payer.turnDue();
      await this.events.tellAgain();
    });
  }
}
