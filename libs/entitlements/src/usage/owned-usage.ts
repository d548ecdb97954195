import { forgetOwnMonths, readOwnMonths } from '@app/entities';
import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** What was counted of an account by month. What it used of an organisation's stays used, without its name. */
@Injectable()
export class OwnedUsage implements OwnedData, OnModuleInit {
  readonly name = 'usage';
  readonly tables = ['kept_totals', 'kept_total_changes', 'usage_notices'];
  /** After workflows and the ledger, which count. */
  readonly order = 95;

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    return (await readOwnMonths(this.dataSource, userId)).length;
  }

  /** What is counted after that goes with the row of the account. */
  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    await tx.query(`DELETE FROM usage_notices WHERE pool = 'u' || $1::int`, [userId]);
    return forgetOwnMonths(tx, userId);
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await readOwnMonths(this.dataSource, userId);
    if (rows.length > 0) yield { path: 'usage-by-month.json', content: JSON.stringify(rows, null, 2) };
  }
}
