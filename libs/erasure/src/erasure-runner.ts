import { AuditLog } from '@app/audit';
import { Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ErasureRegistry } from './erasure-registry.js';
import type { OwnedData } from './owned-data.js';

/** A worker that says nothing for so long is taken for dead. */
const LEASE_SECONDS = 60;
/** Before a try that failed is repeated, times the tries so far, up to an hour. */
const RETRY_SECONDS = 5;

interface Claim {
  id: string;
  userId: number;
  fence: number;
  finishedSteps: string[];
  attempts: number;
}

/** Another worker has taken the erasure over. */
class ClaimLostError extends Error {}

/**
 * Removes everything that an account owns, domain by domain (docs/contract/accounts.md#deletion). Each share goes in
 * a transaction
 * that first renews the lease under the worker's fence, so a dead worker's erasure is taken over, a slow one's writes
 * nothing more, and what is done stays done.
 */
export class ErasureRunner {
  private readonly logger = new Logger(ErasureRunner.name);

  /** @param checkpoint is called between any two transactions; tests stop a worker there */
  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
    private readonly audit: AuditLog,
    private readonly checkpoint: (name: string) => Promise<void> = async () => {},
  ) {}

  /** One try, if nobody else is at it. Failures are written down and tried again by `sweep`. */
  async run(erasureId: string): Promise<void> {
    const claim = await this.claim(erasureId);
    if (!claim) return;
    try {
      await this.checkpoint('claimed');
      for (const data of this.registry.list()) await this.runStep(data, claim);
      await this.complete(claim);
      this.logger.log(`Erasure ${claim.id} is complete.`);
    } catch (error) {
      if (!(error instanceof ClaimLostError)) await this.putOff(claim, error as Error);
    }
  }

  /** Goes on with erasures whose worker died or whose last try failed. */
  async sweep(): Promise<void> {
    const due = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM erasures
       WHERE state = 'running' AND coalesce(lease_expires_at, requested_at + interval '10 seconds') <= now()
       ORDER BY requested_at LIMIT 10`,
    );
    for (const { id } of due) await this.run(id);
  }

  private async claim(erasureId: string): Promise<Claim | null> {
    const [[row]] = await this.dataSource.query<[Claim[], number]>(
      `UPDATE erasures SET fence = fence + 1, attempts = attempts + 1, lease_expires_at = now() + make_interval(secs => $2)
       WHERE id = $1 AND state = 'running' AND (lease_expires_at IS NULL OR lease_expires_at <= now())
       RETURNING id, user_id AS "userId", fence, finished_steps AS "finishedSteps", attempts`,
      [erasureId, LEASE_SECONDS],
    );
    return row ?? null;
  }

  private async runStep(data: OwnedData, claim: Claim): Promise<void> {
    if (claim.finishedSteps.includes(data.name)) return;
    for (;;) {
      const removed = await this.dataSource.transaction(async (tx) => {
        await this.renew(claim, tx);
        const count = await data.deleteSome(claim.userId, tx);
        if (count > 0)
          await tx.query(
            `UPDATE erasures SET counts = counts || jsonb_build_object($2::text, coalesce((counts ->> $2)::int, 0) + $3)
             WHERE id = $1`,
            [claim.id, data.name, count],
          );
        else
          await tx.query('UPDATE erasures SET finished_steps = array_append(finished_steps, $2) WHERE id = $1', [
            claim.id,
            data.name,
          ]);
        return count;
      });
      await this.checkpoint(data.name);
      if (removed === 0) return;
    }
  }

  /** What came in while the steps ran, such as the end of an upload, sends it back to the beginning. */
  private async complete(claim: Claim): Promise<void> {
    for (const data of this.registry.list()) {
      const left = await data.countFor(claim.userId);
      if (left > 0) throw new Error(`${left} of ${data.name} came in meanwhile.`);
    }
    await this.dataSource.transaction(async (tx) => {
      await this.renew(claim, tx);
      await tx.query(
        `UPDATE erasures SET state = 'completed', completed_at = now(), lease_expires_at = NULL, last_error = ''
         WHERE id = $1`,
        [claim.id],
      );
      const target = `erasure:${claim.id}`;
      await this.audit.record({ action: 'account.erased', actor: null, subjectId: null, target }, tx);
    });
    await this.checkpoint('completed');
  }

  /** @throws ClaimLostError */
  private async renew({ id, fence }: Claim, tx: EntityManager): Promise<void> {
    const [, count] = await tx.query<[unknown, number]>(
      `UPDATE erasures SET lease_expires_at = now() + make_interval(secs => $3)
       WHERE id = $1 AND fence = $2 AND state = 'running'`,
      [id, fence, LEASE_SECONDS],
    );
    if (count === 0) throw new ClaimLostError();
  }

  private async putOff({ id, fence, attempts }: Claim, error: Error): Promise<void> {
    this.logger.error(`Erasure ${id} is tried again: ${error.message}`);
    await this.dataSource.query(
      `UPDATE erasures SET last_error = $3, finished_steps = '{}', lease_expires_at = now() + make_interval(secs => $4)
       WHERE id = $1 AND fence = $2 AND state = 'running'`,
      [id, fence, error.message.slice(0, 500), Math.min(3600, RETRY_SECONDS * attempts)],
    );
  }
}
