import type { StorageQuota, StorageReservation } from '@app/entitlements';
import type { EntityManager } from 'typeorm';

/** The part of the owner's storage that is kept free for one item. */
export class ItemQuota {
  private reservation: StorageReservation | null = null;
  private bytes = 0;

  constructor(
    private readonly quota: StorageQuota,
    private readonly ownerId: number,
  ) {}

  /** Keeps so many bytes free, or more. @throws StorageLimitExceededError */
  async take(bytes: number): Promise<void> {
    if (bytes <= this.bytes) return;
    await this.release();
    this.reservation = await this.quota.reserve(this.ownerId, bytes);
    this.bytes = bytes;
  }

  /** From the commit on they are those of a document. */
  async settle(bytes: number, tx: EntityManager): Promise<void> {
    await this.reservation?.settle(bytes, tx);
  }

  /** Gives back what was not settled; call it in any case. */
  async release(): Promise<void> {
    await this.reservation?.release();
    this.reservation = null;
    this.bytes = 0;
  }
}
