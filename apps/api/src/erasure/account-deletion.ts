import { setTimeout as sleep } from 'node:timers/promises';
import { AccountAccess, CachedPrincipals, OrganizationSuccession, type Principal } from '@app/auth';
import { DomainError } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { Erasures, type ErasureState } from '@app/erasure';
import { Outbox } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** So long the caller waits for the end; then it goes on without them. */
const WAIT_MS = 8000;
const LOOK_MS = 50;

/** The specification's 500: some of it could not be removed yet. */
export class DeletionFailedError extends DomainError {
  constructor() {
    super('The deletion failed part-way. It goes on by itself; nothing more has to be done.', 'deletion_incomplete');
  }
}

/** Closing an account for good (docs/contract/accounts.md#deletion). */
@Injectable()
export class AccountDeletion {
  constructor(
    private readonly dataSource: DataSource,
    private readonly erasures: Erasures,
    private readonly access: AccountAccess,
    private readonly principals: CachedPrincipals,
    private readonly outbox: Outbox,
    private readonly succession: OrganizationSuccession,
  ) {}

  /**
   * The account is closed at once; what it owned goes by a job.
   * @returns whether everything is gone already
   * @throws DeletionFailedError
   */
  async delete(viewer: Principal): Promise<boolean> {
    const { id, receipt, heir } = await retriedTransaction(this.dataSource, async (tx) => {
      // The organisation is locked before the account, as everywhere.
      const successor = await this.succession.leaveBehind(viewer.userId, tx);
      const requested = await this.erasures.request(viewer, tx);
      await this.access.close(viewer.userId, tx);
      return { ...requested, heir: successor };
    });
    this.principals.announce({ userId: viewer.userId });
    if (heir !== null) this.principals.announce({ userId: heir });
    if (receipt) this.outbox.publishSoon([receipt]);
    const erasure = await this.waitFor(id);
    if (erasure?.lastError) throw new DeletionFailedError();
    return erasure?.state === 'completed';
  }

  private async waitFor(id: string): Promise<ErasureState | null> {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      const erasure = await this.erasures.find(id);
      if (erasure?.state === 'completed' || erasure?.lastError || Date.now() > deadline) return erasure;
      await sleep(LOOK_MS);
    }
  }
}
