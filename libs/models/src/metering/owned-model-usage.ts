import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** What the account has used language models for. */
@Injectable()
export class OwnedModelUsage implements OwnedData, OnModuleInit {
  readonly name = 'model_usage';
  readonly tables = ['model_usage'];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM model_usage WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>(
      'DELETE FROM model_usage WHERE id IN (SELECT id FROM model_usage WHERE user_id = $1 LIMIT 1000)',
      [userId],
    );
    return count;
  }

  /** Day by day: single requests say nothing to a person. */
  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date, model, purpose, count(*)::int AS requests,
         sum(prompt_tokens)::float8 AS prompt_tokens, sum(completion_tokens)::float8 AS completion_tokens,
         sum(cached_tokens)::float8 AS cached_tokens, sum(cache_write_tokens)::float8 AS cache_write_tokens,
         sum(cost)::float8 AS cost, currency, price_source, price_version, (count(*) - count(cost))::int AS unpriced_requests
       FROM model_usage WHERE user_id = $1 GROUP BY 1, 2, 3, currency, price_source, price_version ORDER BY 1, 2, 3, currency, price_version`,
      [userId],
    );
    if (rows.length > 0) yield { path: 'model-usage.json', content: JSON.stringify(rows, null, 2) };
  }
}
