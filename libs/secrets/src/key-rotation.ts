import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.js';
import { sealedPrefix, SealingService } from './sealing.service.js';

/** Values of one kind that stand under an earlier master key. */
export interface Rotatable {
  /** `table.column`. */
  readonly name: string;
  /** How many there are still. */
  countStale(): Promise<number>;
  /** How many were sealed under a key that the ring does not hold, where that can be told without opening them. */
  countUnreadable?(): Promise<number>;
  /** Brings up to so many under the current key. @returns how many it looked at, and how many cannot be opened */
  rewrapSome(limit: number): Promise<{ seen: number; unreadable: number }>;
}

export interface RotationProgress {
  name: string;
  /** Values brought under the current key by this call. */
  rewrapped: number;
  /** Sealed under a key that the ring does not hold. */
  unreadable: number;
  /** Still under an earlier key. */
  stale: number;
}

const BATCH = 200;

/**
 * Brings everything sealed under the current master key while the platform runs
 * (docs/contract/reliability.md#secrets-and-webhooks). It may be stopped at
 * any time and begun again, and may run twice at once: each value is replaced only while it is as it was read.
 */
@Injectable()
export class KeyRotation {
  private readonly others: Rotatable[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
  ) {}

  /** For what is sealed in a form of its own. */
  register(rotatable: Rotatable): void {
    this.others.push(rotatable);
  }

  get currentKid(): string {
    return this.sealing.currentKid;
  }

  async status(): Promise<RotationProgress[]> {
    return Promise.all(
      this.all().map(async (one) => ({
        name: one.name,
        rewrapped: 0,
        unreadable: (await one.countUnreadable?.()) ?? 0,
        stale: await one.countStale(),
      })),
    );
  }

  /** @param onProgress is called after each batch */
  async rewrap(onProgress: (progress: RotationProgress) => void = () => {}): Promise<RotationProgress[]> {
    const results: RotationProgress[] = [];
    for (const one of this.all()) {
      const progress: RotationProgress = { name: one.name, rewrapped: 0, unreadable: 0, stale: await one.countStale() };
      for (;;) {
        const { seen, unreadable } = await one.rewrapSome(BATCH);
        progress.unreadable = unreadable;
        progress.rewrapped += seen - unreadable;
        progress.stale = await one.countStale();
        onProgress({ ...progress });
        // What cannot be opened would come again for ever.
        if (seen <= unreadable) break;
      }
      results.push(progress);
    }
    return results;
  }

  private all(): Rotatable[] {
    return [...SEALED_COLUMNS.map((column) => this.rotatable(column)), ...this.others];
  }

  private rotatable({ table, column, row }: SealedColumn): Rotatable {
    const prefix = `substring(${column} FROM 1 FOR 5)`;
    const stale = `${column} IS NOT NULL AND ${prefix} <> $1`;
    const current = sealedPrefix(this.sealing.currentKid);
    const countWhere = async (condition: string, parameter: Buffer | Buffer[]) => {
      const [{ count }] = await this.dataSource.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM ${table} WHERE ${condition}`,
        [parameter],
      );
      return count;
    };
    return {
      name: `${table}.${column}`,
      countStale: () => countWhere(stale, current),
      countUnreadable: () =>
        countWhere(`${column} IS NOT NULL AND ${prefix} <> ALL ($1::bytea[])`, this.sealing.readablePrefixes),
      rewrapSome: async (limit) => {
        // In a random order, so that unreadable values do not stand before the others for ever.
        const rows = await this.dataSource.query<{ row: string; sealed: Buffer }[]>(
          `SELECT ${row} AS row, ${column} AS sealed FROM ${table} WHERE ${stale} ORDER BY random() LIMIT $2`,
          [current, limit],
        );
        let unreadable = 0;
        for (const { row: key, sealed } of rows) {
          const rewrapped = this.tryRewrap(sealed, { table, column, row: key });
          if (!rewrapped) unreadable += 1;
          else
            await this.dataSource.query(`UPDATE ${table} SET ${column} = $1 WHERE ${row} = $2 AND ${column} = $3`, [
              rewrapped,
              key,
              sealed,
            ]);
        }
        return { seen: rows.length, unreadable };
      },
    };
  }

  private tryRewrap(sealed: Buffer, place: { table: string; column: string; row: string }): Buffer | null {
    try {
      return this.sealing.rewrap(sealed, place);
    } catch {
      return null;
    }
  }
}
