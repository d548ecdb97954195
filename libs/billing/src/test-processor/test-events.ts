import { Clock, newId } from '@app/common';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ProcessorObject } from '../sync/subscription-sync.js';
import { TestSignatures } from './test-signatures.js';

export type DeliverEvent = (rawBody: Buffer, signature: string, object: ProcessorObject) => Promise<void>;

/** Tells of each change of an object, as often as it takes; the object says up to which change it was told of. */
@Injectable()
export class TestEvents {
  private readonly logger = new Logger(TestEvents.name);
  private deliver: DeliverEvent | null = null;

  constructor(
    private readonly dataSource: DataSource,
    private readonly signatures: TestSignatures,
    private readonly clock: Clock,
  ) {}

  deliverTo(deliver: DeliverEvent): void {
    this.deliver = deliver;
  }

  /** After commit. What is not delivered now is delivered later (`tellAgain`). */
  async tell(kind: 'checkout' | 'subscription', id: string, revision: number): Promise<void> {
    if (this.deliver === null) return;
    const nowMs = this.clock.now();
    const object = { kind, id };
    const event = { id: `tev_${newId()}`, type: `${kind}.changed`, created: nowMs, object };
    const { rawBody, signature } = this.signatures.write(event, nowMs);
    try {
      await this.deliver(rawBody, signature, object);
      await this.noteTold(kind, id, revision);
    } catch (error) {
      this.logger.warn(`An event of ${kind} ${id} is delivered later: ${String(error)}`);
    }
  }

  /** What was not told of, because a process ended or its receiver was away. */
  async tellAgain(): Promise<void> {
    const untold = await this.dataSource.query<{ kind: 'checkout' | 'subscription'; id: string; revision: number }[]>(
      `SELECT 'subscription' AS kind, id, revision FROM billing_test_subscriptions WHERE told_revision < revision
       UNION ALL
       SELECT 'checkout' AS kind, id, revision FROM billing_test_checkouts WHERE told_revision < revision LIMIT 100`,
    );
    for (const { kind, id, revision } of untold) await this.tell(kind, id, revision);
  }

  private async noteTold(kind: 'checkout' | 'subscription', id: string, revision: number): Promise<void> {
    if (kind === 'checkout')
      await this.dataSource.query(
        'UPDATE billing_test_checkouts SET told_revision = greatest(told_revision, $2) WHERE id = $1',
        [id, revision],
      );
    else
      await this.dataSource.query(
        'UPDATE billing_test_subscriptions SET told_revision = greatest(told_revision, $2) WHERE id = $1',
        [id, revision],
      );
  }
}
