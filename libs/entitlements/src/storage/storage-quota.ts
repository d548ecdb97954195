import { lockAccount } from '@app/access';
import { newId, NotFoundError } from '@app/common';
import { totalsOf } from '@app/entities';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { StorageLimitExceededError } from './storage-limit-exceeded.error.js';
import { StorageLimits } from './storage-limits.js';
import { StorageReservation } from './storage-reservation.js';

/** Longer than any single request takes: the api ends one that is not received within 15 minutes. */
const RESERVED_SECONDS = 1200;

/** In bytes. */
export interface StorageUsage {
  /** Documents (those in the trash too) and files of the table stores. */
  media: number;
  /** Files that workflows wrote. */
  workflow: number;
  /** Both together. */
  used: number;
  /** Uploads under way. */
  reserved: number;
  /** Null for no limit. */
  limit: number | null;
}

/** Copies made for an export and thumbnails are the deployment's. */
const STORED = `(SELECT coalesce(sum(value) FILTER (WHERE part = 'media'), 0) AS media,
    coalesce(sum(value) FILTER (WHERE part = 'workflow'), 0) AS workflow
  FROM ${totalsOf(['storage'], '$1::int::text')} s)`;
const RESERVED = `
  (SELECT coalesce(sum(bytes), 0) FROM storage_reservations WHERE user_id = $1 AND expires_at > now())`;

/**
 * Who may store how much (docs/contract/reliability.md#uploads: reserved before bytes, released on failure).
 * What is stored is kept beside the rows by triggers, so that no path of deletion can be forgotten and nothing is summed.
 */
@Injectable()
export class StorageQuota {
  constructor(
    private readonly dataSource: DataSource,
    private readonly limits: StorageLimits,
  ) {}

  async usageOf(userId: number): Promise<StorageUsage> {
    const limit = await this.limits.limitFor(userId);
    return { ...(await readUsage(this.dataSource, userId)), limit };
  }

  /**
   * Keeps `bytes` free for the user, before they are taken. Of any number of callers at once, only as many succeed as
   * there is room for. `settle` it in the transaction that makes the row, and `release` it in any case; whatever a killed
   * process reserved comes back after `options.seconds` (20 minutes).
   * @throws StorageLimitExceededError; NotFoundError for an account that is gone
   */
  async reserve(
    userId: number,
    bytes: number,
    { id = newId(), seconds = RESERVED_SECONDS }: { id?: string; seconds?: number } = {},
  ): Promise<StorageReservation> {
    const limit = await this.limits.limitFor(userId);
    await this.dataSource.transaction(async (tx) => {
      // Reservations of one user wait for each other here; each sees what the one before has committed.
      if (!(await lockAccount(tx, userId))) throw new NotFoundError();
      if (limit !== null) await checkRoom(tx, userId, bytes, limit);
      await tx.query(
        `INSERT INTO storage_reservations (id, user_id, bytes, expires_at)
         VALUES ($1, $2, $3, now() + $4 * interval '1 second')`,
        [id, userId, bytes, seconds],
      );
    });
    return new StorageReservation(this.dataSource, id);
  }

  /** A reservation that another request, or another process, made under this id. */
  reopen(id: string): StorageReservation {
    return new StorageReservation(this.dataSource, id);
  }

  /** Expired reservations count no more; this only tidies up. @returns how many went */
  async removeExpired(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      'DELETE FROM storage_reservations WHERE expires_at < now()',
    );
    return count;
  }
}

async function checkRoom(tx: EntityManager, userId: number, wanted: number, limit: number): Promise<void> {
  const { used, reserved } = await readUsage(tx, userId);
  const available = Math.max(0, limit - used - reserved);
  if (wanted > available) throw new StorageLimitExceededError({ wanted, available, limit });
}

/** In one statement: what is settled between two would be missed, or counted twice. */
async function readUsage(db: Pick<EntityManager, 'query'>, userId: number): Promise<Omit<StorageUsage, 'limit'>> {
  const [row] = await db.query<[{ media: string; workflow: string; reserved: string }]>(
    `SELECT media, workflow, ${RESERVED} AS reserved FROM ${STORED} stored`,
    [userId],
  );
  const [media, workflow] = [Number(row.media), Number(row.workflow)];
  return { media, workflow, used: media + workflow, reserved: Number(row.reserved) };
}
