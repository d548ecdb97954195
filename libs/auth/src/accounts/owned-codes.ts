import { ErasureRegistry, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** One-time codes go; a promo code stays redeemed and forgets by whom. */
@Injectable()
export class OwnedCodes implements OwnedData, OnModuleInit {
  readonly name = 'codes';
  readonly tables = ['one_time_codes', 'promo_codes'];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM one_time_codes WHERE user_id = $1)::int
            + (SELECT count(*) FROM promo_codes WHERE redeemed_by_id = $1)::int AS count`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, codes] = await tx.query<[unknown, number]>('DELETE FROM one_time_codes WHERE user_id = $1', [userId]);
    const [, promoCodes] = await tx.query<[unknown, number]>(
      'UPDATE promo_codes SET redeemed_by_id = NULL WHERE redeemed_by_id = $1',
      [userId],
    );
    return codes + promoCodes;
  }
}
