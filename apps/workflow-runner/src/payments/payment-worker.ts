import {
  type ClaimedObject,
  PaymentEventRetention,
  PaymentObjectReader,
  paymentObjectWork,
  Reconcile,
  RECONCILE_SECONDS,
} from '@app/billing';
import { SoleTasks } from '@app/queues';
import { type Claim, Performs } from '@app/work';
import { Injectable, type OnModuleInit } from '@nestjs/common';

const RETENTION_SECONDS = 3600;

/** What the processor of payments told of, and what it may have failed to tell of. */
@Injectable()
export class PaymentWorker implements OnModuleInit {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly reader: PaymentObjectReader,
    private readonly reconcile: Reconcile,
    private readonly retention: PaymentEventRetention,
  ) {}

  onModuleInit(): void {
    this.tasks.every('reconcile payments', RECONCILE_SECONDS, async () => void (await this.reconcile.sweep()));
    this.tasks.every('payment events', RETENTION_SECONDS, () => this.retention.sweep());
  }

  @Performs(paymentObjectWork)
  read(claim: Claim<ClaimedObject>, signal: AbortSignal): Promise<void> {
    return this.reader.read(claim, signal);
  }
}
