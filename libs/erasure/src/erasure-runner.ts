import { AuditLog } from '@app/audit';
import { WorkClaims, type Claim } from '@app/work';
import { DataSource } from 'typeorm';
import { ErasureRegistry } from './erasure-registry.js';
import type { ClaimedErasure } from './erasure-work.js';
import type { OwnedData } from './owned-data.js';

/**
 * Removes everything that an account owns, domain by domain (docs/contract/accounts.md#deletion). Each share goes in
 * a transaction
 * that first renews the claim, so a dead worker's erasure is taken over, a slow one's writes nothing more, and what is
 * done stays done.
 */
export class ErasureRunner {
  /** @param checkpoint is called between any two transactions; tests stop a worker there */
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly registry: ErasureRegistry,
    private readonly audit: AuditLog,
    private readonly checkpoint: (name: string) => Promise<void> = async () => {},
  ) {}

  /** One try. @throws ClaimLostError when somebody else is at it; any other error: it is to be tried again */
  async run(claim: Claim<ClaimedErasure>, signal: AbortSignal): Promise<void> {
    await this.checkpoint('claimed');
    for (const data of this.registry.list()) await this.runStep(data, claim, signal);
    await this.complete(claim);
  }

  private async runStep(data: OwnedData, claim: Claim<ClaimedErasure>, signal: AbortSignal): Promise<void> {
    const { userId, finishedSteps } = claim.row;
    if (finishedSteps.includes(data.name)) return;
    for (;;) {
      signal.throwIfAborted();
      const removed = await this.dataSource.transaction(async (tx) => {
        await this.claims.hold(claim, tx);
        const count = await data.deleteSome(userId, tx);
        await this.claims.hold(claim, tx, {
          set: (param) => {
            const step = `${param(data.name)}::text`;
            if (count === 0) return `finished_steps = array_append(w.finished_steps, ${step})`;
            const sum = `coalesce((w.counts ->> ${step})::int, 0) + ${param(count)}::int`;
            return `counts = w.counts || jsonb_build_object(${step}, ${sum})`;
          },
        });
        return count;
      });
      await this.checkpoint(data.name);
      if (removed === 0) return;
    }
  }

  /** What came in while the steps ran, such as the end of an upload, sends it back to the beginning. */
  private async complete(claim: Claim<ClaimedErasure>): Promise<void> {
    const { id, userId } = claim.row;
    for (const data of this.registry.list()) {
      const left = await data.countFor(userId);
      if (left > 0) throw new Error(`${left} of ${data.name} came in meanwhile.`);
    }
    await this.dataSource.transaction(async (tx) => {
      await this.claims.finish(claim, { set: () => `state = 'completed', completed_at = now()` }, tx);
      const target = `erasure:${id}`;
      await this.audit.record({ action: 'account.erased', actor: null, subjectId: null, target }, tx);
    });
    await this.checkpoint('completed');
  }
}
