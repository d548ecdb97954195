import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** What the domain keeps of an account. */
@Injectable()
export class OwnedPasskeys implements OnModuleInit, OwnedData {
  readonly name = 'passkeys';
  readonly tables = ['passkeys', 'webauthn_ceremonies'];

  constructor(
    private readonly dataSource: DataSource,
    private readonly erasure: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.erasure.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT ((SELECT count(*) FROM passkeys WHERE user_id = $1)
             + (SELECT count(*) FROM webauthn_ceremonies WHERE user_id = $1))::int AS count`,
      [userId],
    );
    return count;
  }

  /** Ten passkeys and the ceremonies of five minutes are a bounded share already. */
  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    let removed = 0;
    for (const table of this.tables) {
      const [, count] = await tx.query<[unknown[], number]>(`DELETE FROM ${table} WHERE user_id = $1`, [userId]);
      removed += count;
    }
    return removed;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const passkeys = await this.dataSource.query<object[]>(
      `SELECT name, created_at, last_used_at, suspected_clone_at IS NOT NULL AS suspected_clone
       FROM passkeys WHERE user_id = $1 ORDER BY id`,
      [userId],
    );
    if (passkeys.length > 0) yield { path: 'passkeys.json', content: JSON.stringify(passkeys, null, 2) };
  }
}
