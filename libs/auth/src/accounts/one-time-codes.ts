import { createHmac, hkdfSync, randomInt } from 'node:crypto';
import { UnavailableError } from '@app/common';
import { SoleTasks } from '@app/queues';
import type { OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

export const CODE_MINUTES = 10;
const MAX_ATTEMPTS = 5;
const PURGE_SECONDS = 300;

type Purpose = 'email' | 'phone';

export interface ConsumedCode {
  userId: number;
  /** What it was sent to, and so what it confirms. */
  destination: string;
}

/** Codes of six digits: ten minutes, five tries, one live code per account and purpose, each usable once. */
export class OneTimeCodes implements OnModuleInit {
  private readonly key: Buffer;

  /** @param masterKey of the deployment: whoever reads the table alone cannot try all million codes */
  constructor(
    private readonly dataSource: DataSource,
    private readonly tasks: SoleTasks,
    masterKey: string,
  ) {
    this.key = Buffer.from(hkdfSync('sha256', Buffer.from(masterKey, 'base64'), '', 'atrium/one-time-codes', 32));
  }

  onModuleInit(): void {
    this.tasks.every('one-time codes', PURGE_SECONDS, async () => {
      await this.dataSource.query('DELETE FROM one_time_codes WHERE expires_at < now()');
    });
  }

  /** A new code, which replaces the account's earlier one. @returns the six digits, which are kept nowhere */
  async issue(userId: number, purpose: Purpose, destination: string, tx: EntityManager): Promise<string> {
    for (let tries = 0; tries < 20; tries += 1) {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      const mac = this.mac(purpose, userId, code);
      // `POST /users/verify/` names no account, so no two live codes may be alike; whoever draws the same one waits.
      await tx.query('SELECT pg_advisory_xact_lock($1)', [mac.readInt32BE(0)]);
      await tx.query('DELETE FROM one_time_codes WHERE purpose = $1 AND code_mac = $2 AND expires_at <= now()', [
        purpose,
        mac,
      ]);
      const rows = await tx.query<unknown[]>(
        `INSERT INTO one_time_codes (user_id, purpose, code_mac, destination, expires_at)
         SELECT $1, $2, $3, $4, now() + make_interval(mins => $5)
         WHERE NOT EXISTS (SELECT FROM one_time_codes WHERE purpose = $2 AND code_mac = $3)
         ON CONFLICT (user_id, purpose) DO UPDATE
           SET code_mac = excluded.code_mac, destination = excluded.destination, expires_at = excluded.expires_at,
               attempts = 0
         RETURNING user_id`,
        [userId, purpose, mac, destination, CODE_MINUTES],
      );
      if (rows.length > 0) return code;
    }
    throw new UnavailableError('Too many codes are out at the moment. Try again in some minutes.');
  }

  /** Uses up the code that was mailed to anybody, or to this address when it is given. @returns null for a wrong one */
  async consumeEmail(code: string, email: string | null, tx: EntityManager): Promise<ConsumedCode | null> {
    const [[consumed]] = await tx.query<[ConsumedCode[], number]>(
      `DELETE FROM one_time_codes
       WHERE purpose = 'email' AND code_mac = $1 AND expires_at > now() AND attempts < $2
         AND ($3::text IS NULL OR lower(destination) = lower($3))
       RETURNING user_id AS "userId", destination`,
      [this.mac('email', 0, code), MAX_ATTEMPTS, email],
    );
    return consumed ?? null;
  }

  /** A wrong guess at the code of an address. */
  async countWrongEmail(email: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE one_time_codes SET attempts = attempts + 1 WHERE purpose = 'email' AND lower(destination) = lower($1)`,
      [email],
    );
  }

  /** One try at the account's own code. @returns null for a wrong one, which is counted */
  async consumePhone(userId: number, code: string): Promise<ConsumedCode | null> {
    // The guess is counted before it is compared, so that tries at the same time are no more than five either.
    const [[live]] = await this.dataSource.query<[{ code_mac: Buffer; destination: string }[], number]>(
      `UPDATE one_time_codes SET attempts = attempts + 1
       WHERE user_id = $1 AND purpose = 'phone' AND expires_at > now() AND attempts < $2
       RETURNING code_mac, destination`,
      [userId, MAX_ATTEMPTS],
    );
    const mac = this.mac('phone', userId, code);
    if (!live?.code_mac.equals(mac)) return null;
    const [, removed] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM one_time_codes WHERE user_id = $1 AND purpose = 'phone' AND code_mac = $2`,
      [userId, mac],
    );
    return removed === 1 ? { userId, destination: live.destination } : null;
  }

  private mac(purpose: Purpose, userId: number, code: string): Buffer {
    const scope = purpose === 'email' ? 'email' : `phone:${userId}`;
    return createHmac('sha256', this.key).update(`${scope}:${code}`).digest();
  }
}
