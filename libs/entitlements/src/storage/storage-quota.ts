import { newId, NotFoundError } from '@app/common';
import { totalsOf } from '@app/entities';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { EntitlementResolver } from '../resolver/entitlement-resolver.js';
import { ENTITLEMENT_SETTINGS, type EntitlementSettings } from '../settings.js';
import { ACCOUNTS_OF, lockPool, ownerOf } from '../subscriptions/pool-accounts.js';
import type { Pool } from '../subscriptions/subscription.js';
import { StorageLimitExceededError } from './storage-limit-exceeded.error.js';
import { StorageReservation } from './storage-reservation.js';

/** Longer than any single request takes: the api ends one that is not received within 15 minutes. */
const RESERVED_SECONDS = 1200;

/** In bytes, of all accounts of the pool together. */
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
  /** Whether what goes beyond it is refused. */
  isEnforced: boolean;
}

type StoredBytes = Omit<StorageUsage, 'limit' | 'isEnforced'>;

/** Copies made for an export and thumbnails are the deployment's. @param owners SQL of ids, of which `$1` says whose */
const usageOf = (owners: string) => `
  SELECT coalesce(sum(value) FILTER (WHERE part = 'media'), 0) AS media,
    coalesce(sum(value) FILTER (WHERE part = 'workflow'), 0) AS workflow,
    (SELECT coalesce(sum(bytes), 0) FROM storage_reservations
     WHERE user_id IN (${owners}) AND expires_at > now()) AS reserved
  FROM ${totalsOf(['storage'], `ANY(ARRAY(SELECT o.id::text FROM (${owners}) o (id)))`)} stored`;

const USAGE = { organization: usageOf(ACCOUNTS_OF.organization), account: usageOf(ACCOUNTS_OF.account) };

/**
 * Who may store how much (docs/contract/reliability.md#uploads: reserved before bytes, released on failure).
 * What is stored is kept beside the rows by triggers, so that no path of deletion can be forgotten and nothing is summed.
 */
@Injectable()
export class StorageQuota {
  constructor(
    private readonly dataSource: DataSource,
    private readonly entitlements: EntitlementResolver,
    @Inject(ENTITLEMENT_SETTINGS) private readonly settings: Pick<EntitlementSettings, 'storageGate'>,
  ) {}

  /** Of the pool whose quota the account uses up. */
  async usageOf(userId: number): Promise<StorageUsage> {
    const { pool, limits } = await this.entitlements.ofUser(userId);
    return { ...(await this.measure(pool)), limit: limits.storageBytes, isEnforced: this.settings.storageGate };
  }

  measure(pool: Pool): Promise<StoredBytes> {
    return readStorage(this.dataSource, pool);
  }

  /**
   * Keeps `bytes` free for the user, before they are taken. Of any number of callers at once, of one pool, only as many
   * succeed as there is room for. `settle` it in the transaction that makes the row, and `release` it in any case; whatever a killed
   * process reserved comes back after `options.seconds` (20 minutes).
   * @throws StorageLimitExceededError; NotFoundError for an account that is gone
   */
  async reserve(
    userId: number,
    bytes: number,
    { id = newId(), seconds = RESERVED_SECONDS }: { id?: string; seconds?: number } = {},
  ): Promise<StorageReservation> {
    await this.dataSource.transaction(async (tx) => {
      // Read anew: what was paid for a moment ago counts, and the pool is the one that is locked.
      const { pool, limits } = await this.entitlements.readNow(tx, userId);
      // Reservations of one pool wait for each other here; each sees what the one before has committed.
      if (!(await lockPool(tx, pool))) throw new NotFoundError();
      if (this.settings.storageGate && limits.storageBytes !== null)
        await checkRoom(tx, pool, bytes, limits.storageBytes);
      await insertReservation(tx, { id, userId, bytes, seconds });
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

async function checkRoom(tx: EntityManager, pool: Pool, wanted: number, limit: number): Promise<void> {
  const { used, reserved } = await readStorage(tx, pool);
  const available = Math.max(0, limit - used - reserved);
  if (wanted > available) throw new StorageLimitExceededError({ wanted, available, limit });
}

async function insertReservation(
  tx: EntityManager,
  { id, userId, bytes, seconds }: { id: string; userId: number; bytes: number; seconds: number },
): Promise<void> {
  await tx
    .query(
      `INSERT INTO storage_reservations (id, user_id, bytes, expires_at)
       VALUES ($1, $2, $3, now() + $4 * interval '1 second')`,
      [id, userId, bytes, seconds],
    )
    .catch((error: unknown) => {
      throw isOfNobody(error) ? new NotFoundError() : error;
    });
}

/** The account went between the look at it and the reservation: in the pool of an organisation it is not locked. */
function isOfNobody(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  return (error.driverError as { constraint?: string }).constraint === 'storage_reservations_user_id_fkey';
}

/** What a pool stores. In one statement: what is settled between two would be missed, or counted twice. */
export async function readStorage(db: Pick<EntityManager, 'query'>, pool: Pool): Promise<StoredBytes> {
  const { kind, id } = ownerOf(pool);
  const [row] = await db.query<[{ media: string; workflow: string; reserved: string }]>(USAGE[kind], [id]);
  const [media, workflow] = [Number(row.media), Number(row.workflow)];
  return { media, workflow, used: media + workflow, reserved: Number(row.reserved) };
}
