import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const LIVE = 'redeemed_at IS NULL AND (expires_at IS NULL OR expires_at > now())';

/** Codes that approve the account which registers with them, once. */
@Injectable()
export class PromoCodes {
  constructor(private readonly dataSource: DataSource) {}

  async isLive(code: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(`SELECT FROM promo_codes WHERE code = $1 AND ${LIVE}`, [
      normalize(code),
    ]);
    return rows.length > 0;
  }

  /** Uses the code up. @returns false when somebody else was faster */
  async redeem(code: string, userId: number, tx: EntityManager): Promise<boolean> {
    const [, count] = await tx.query<[unknown, number]>(
      `UPDATE promo_codes SET redeemed_at = now(), redeemed_by_id = $2 WHERE code = $1 AND ${LIVE}`,
      [normalize(code), userId],
    );
    return count === 1;
  }
}

function normalize(code: string): string {
  return code.trim().toUpperCase();
}
