import { ConflictError, inBatches, newId } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export const LEASE_SECONDS = 60;
const KEPT_HOURS = 24;
const PURGE_BATCH = 1000;

export interface FirstAnswer {
  status: number;
  /** JSON text; empty for no body. */
  body: string;
}

/** A claim to answer a key first, or the answer that somebody gave before. */
export type Claimed = { claim: string } | { answer: FirstAnswer };

type Row = { fingerprint: Buffer; response_status: number | null; response_body: string | null };

/**
 * The first answers to calls with an `Idempotency-Key`, in Postgres, for 24 hours
 * (docs/contract/conventions.md#idempotency).
 */
@Injectable()
export class IdempotencyStore {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Takes the key for this call. A call that died holds its key until its lease is over.
   * @throws ConflictError `idempotency_key_conflict` for another body, `idempotency_in_progress` while the first call works
   */
  async claim(userId: number, key: string, fingerprint: Buffer): Promise<Claimed> {
    const claim = newId();
    const [won] = await this.dataSource.query<unknown[]>(
      `INSERT INTO idempotency_keys AS k (user_id, key, fingerprint, claim, lease_expires_at, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5), now() + make_interval(hours => $6))
       ON CONFLICT (user_id, key) DO UPDATE
         SET fingerprint = excluded.fingerprint, claim = excluded.claim, lease_expires_at = excluded.lease_expires_at,
             expires_at = excluded.expires_at, response_status = NULL, response_body = NULL
         WHERE k.expires_at < now()
            OR (k.response_status IS NULL AND k.lease_expires_at < now() AND k.fingerprint = excluded.fingerprint)
       RETURNING 1`,
      [userId, key, fingerprint, claim, LEASE_SECONDS, KEPT_HOURS],
    );
    if (won) return { claim };
    const [row] = await this.dataSource.query<Row[]>(
      'SELECT fingerprint, response_status, response_body FROM idempotency_keys WHERE user_id = $1 AND key = $2',
      [userId, key],
    );
    if (row && !row.fingerprint.equals(fingerprint))
      throw new ConflictError('This Idempotency-Key was used for another request.', {
        code: 'idempotency_key_conflict',
      });
    if (!row || row.response_status === null)
      throw new ConflictError('The first request with this Idempotency-Key is still running.', {
        code: 'idempotency_in_progress',
      });
    return { answer: { status: row.response_status, body: row.response_body ?? '' } };
  }

  /** Says that the work goes on. */
  async extend(userId: number, key: string, claim: string): Promise<void> {
    await this.dataSource.query(
      'UPDATE idempotency_keys SET lease_expires_at = now() + make_interval(secs => $4) WHERE user_id = $1 AND key = $2 AND claim = $3',
      [userId, key, claim, LEASE_SECONDS],
    );
  }

  async keep(userId: number, key: string, claim: string, { status, body }: FirstAnswer): Promise<void> {
    await this.dataSource.query(
      'UPDATE idempotency_keys SET response_status = $4, response_body = $5 WHERE user_id = $1 AND key = $2 AND claim = $3',
      [userId, key, claim, status, body],
    );
  }

  /** Nothing was started: the key may be tried again. */
  async release(userId: number, key: string, claim: string): Promise<void> {
    await this.dataSource.query('DELETE FROM idempotency_keys WHERE user_id = $1 AND key = $2 AND claim = $3', [
      userId,
      key,
      claim,
    ]);
  }

  /** What an account's repeated calls were answered with is replaced, of all answers that have these members. */
  async replaceWith(userId: number, members: readonly string[], { status, body }: FirstAnswer): Promise<void> {
    await this.dataSource.query(
      `UPDATE idempotency_keys SET response_status = $3, response_body = $4
       WHERE user_id = $1 AND response_body LIKE ALL ($2::text[])`,
      [userId, members.map((name) => `%"${name}":%`), status, body],
    );
  }

  async purge(): Promise<void> {
    await inBatches(PURGE_BATCH, async (batch) => {
      const [, count] = await this.dataSource.query<[unknown, number]>(
        `DELETE FROM idempotency_keys WHERE (user_id, key) IN (
           SELECT user_id, key FROM idempotency_keys WHERE expires_at < now()
           ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
        [batch],
      );
      return count;
    });
  }
}
