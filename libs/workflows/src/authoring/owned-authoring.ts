import { ErasureRegistry, exportedArray, type ExportedFile, type OwnedData, placeOf } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const BATCH = 100;

/** What was asked of, and answered by, the writer of workflows. */
@Injectable()
export class OwnedAuthoring implements OwnedData, OnModuleInit {
  readonly name = 'workflow_authoring';
  readonly tables = ['workflow_authoring_turns'];

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM workflow_authoring_turns WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>(
      'DELETE FROM workflow_authoring_turns WHERE id IN (SELECT id FROM workflow_authoring_turns WHERE user_id = $1 LIMIT $2)',
      [userId, BATCH],
    );
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    if ((await this.countFor(userId)) === 0) return;
    const read = (after: string | null) =>
      this.dataSource.query<{ cursor: string; row: unknown }[]>(
        `SELECT concat_ws(' ', id, created_at) AS cursor, jsonb_build_object('id', id, 'workflow_id', workflow_id,
           'prompt', prompt, 'status', status, 'result', result, 'created_at', created_at) AS row
         FROM workflow_authoring_turns WHERE user_id = $1 AND ($2::text IS NULL OR (created_at, id) > ($3::timestamptz, $2::uuid))
         ORDER BY created_at, id LIMIT ${BATCH}`,
        [userId, ...placeOf(after)],
      );
    yield { path: 'workflow-authoring.json', content: exportedArray(read) };
  }
}
