import { SoleTasks } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { TestEvents } from './test-events.js';
import { TestPayer } from './test-payer.js';

const SECONDS = 30;

/** Time at the test processor: trials end, periods are renewed, payments are tried again, events are told again. */
@Injectable()
export class TestClockwork implements OnModuleInit {
  constructor(
    private readonly payer: TestPayer,
    private readonly events: TestEvents,
    private readonly tasks: SoleTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.every('renewals of the test processor', SECONDS, async () => {
      await this.payer.turnDue();
      await this.events.tellAgain();
    });
  }
}
