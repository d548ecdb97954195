import { ConflictError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';

/** Bytes that are kept free for somebody until they are stored, or given back. */
export class StorageReservation {
  constructor(
    private readonly dataSource: DataSource,
    readonly id: string,
  ) {}

  /**
   * In the transaction that makes the row which owns `bytes` of storage: from its commit on they are counted there, and
   * no more here. May be called for several rows of one reservation.
   * @throws ConflictError `upload_expired` when the reservation is gone or smaller; the transaction must not commit
   */
  async settle(bytes: number, tx: EntityManager): Promise<void> {
    const [, count] = await tx.query<[unknown, number]>(
      'UPDATE storage_reservations SET bytes = bytes - $2 WHERE id = $1 AND bytes >= $2 AND expires_at > now()',
      [this.id, bytes],
    );
    if (count === 0)
      throw new ConflictError('The upload took too long. Send the file again.', { code: 'upload_expired' });
  }

  /** Moves the expiry. @returns false when it has expired already: then the bytes are free for others. */
  async extend(seconds: number): Promise<boolean> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `UPDATE storage_reservations SET expires_at = now() + $2 * interval '1 second'
       WHERE id = $1 AND expires_at > now()`,
      [this.id, seconds],
    );
    return count === 1;
  }

  /** Gives back what was not settled. Call it in any case; a second time does nothing. */
  async release(): Promise<void> {
    await this.dataSource.query('DELETE FROM storage_reservations WHERE id = $1', [this.id]);
  }
}
