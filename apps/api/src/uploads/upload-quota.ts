import { StorageLimitExceededError, type StorageQuota, type StorageReservation } from '@app/entitlements';
import type { EntityManager } from 'typeorm';

/** What was kept free of the user's storage for one form, before its files came in. */
export class UploadQuota {
  private constructor(
    private readonly quota: StorageQuota,
    private readonly userId: number,
    /** Null when the form as a whole does not fit, though something does. */
    private readonly whole: StorageReservation | null,
  ) {}

  /**
   * @param perFile some of the files may fit where all of them do not
   * @throws StorageLimitExceededError
   */
  static async reserve(quota: StorageQuota, userId: number, bytes: number, perFile: boolean): Promise<UploadQuota> {
    try {
      return new UploadQuota(quota, userId, await quota.reserve(userId, bytes));
    } catch (error) {
      const isFull = !(error instanceof StorageLimitExceededError) || error.extra?.available_bytes === 0;
      if (!perFile || isFull) throw error;
      return new UploadQuota(quota, userId, null);
    }
  }

  /** What was reserved by an earlier request. */
  static reserved(quota: StorageQuota, userId: number, reservation: StorageReservation): UploadQuota {
    return new UploadQuota(quota, userId, reservation);
  }

  /**
   * Runs `store` with the right to store `bytes`, which it has to use in the transaction that makes the row.
   * @throws StorageLimitExceededError
   */
  async use<T>(bytes: number, store: (settle: (tx: EntityManager) => Promise<void>) => Promise<T>): Promise<T> {
    const reservation = this.whole ?? (await this.quota.reserve(this.userId, bytes));
    try {
      return await store((tx) => reservation.settle(bytes, tx));
    } finally {
      if (reservation !== this.whole) await reservation.release();
    }
  }

  /** Gives back what was not used. */
  async release(): Promise<void> {
    await this.whole?.release();
  }
}
