import { NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { DataSourceRecord, DescribedSource } from '../shapes/source-shapes.js';

const COLUMNS = `id, owner_id AS "ownerId", name, type, host, port, database, username,
  secret_sealed IS NOT NULL AS "hasSecret", ssl_mode AS "sslMode", schemas, revision, status,
  last_ok_at AS "lastOkAt", last_error AS "lastError", created_at AS "createdAt", updated_at AS "updatedAt"`;

/** What Postgres' `integer` holds: another number names nothing. */
const LARGEST_ID = 2_147_483_647;

export const isStorable = (id: number): boolean => Number.isInteger(id) && id >= 0 && id <= LARGEST_ID;

export const sourceNotFound = () => new NotFoundError('The data source was not found.', { code: 'source_not_found' });

/** The databases that a person has connected, as they see them (docs/contract/data-sources.md). */
@Injectable()
export class DataSources {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  async list(ownerId: number): Promise<DataSourceRecord[]> {
    return this.dataSource.query<DataSourceRecord[]>(
      `SELECT ${COLUMNS} FROM data_sources WHERE owner_id = $1 ORDER BY id DESC`,
      [ownerId],
    );
  }

  /** @throws NotFoundError (`source_not_found`) for one that is not the owner's */
  async get(ownerId: number, id: number, tx: EntityManager = this.dataSource.manager): Promise<DataSourceRecord> {
    const [row] = await tx.query<DataSourceRecord[]>(
      `SELECT ${COLUMNS} FROM data_sources WHERE id = $2 AND owner_id = $1`,
      [ownerId, id],
    );
    if (!row) throw sourceNotFound();
    return row;
  }

  /** In the order of the ids. @throws NotFoundError (`source_not_found`) when one of them is not the owner's */
  async describe(ownerId: number, ids: readonly number[]): Promise<DescribedSource[]> {
    const rows = await this.dataSource.query<DescribedSource[]>(
      'SELECT id, type, name FROM data_sources WHERE owner_id = $1 AND id = ANY($2::int[])',
      [ownerId, storable(ids)],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => {
      const found = byId.get(id);
      if (!found) throw sourceNotFound();
      return found;
    });
  }

  /** Another text after each change of the connection. One that is gone, or somebody else's, is absent. */
  async revisions(ownerId: number, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await this.dataSource.query<{ id: number; revision: number }[]>(
      'SELECT id, revision FROM data_sources WHERE owner_id = $1 AND id = ANY($2::int[])',
      [ownerId, storable(ids)],
    );
    return new Map(rows.map(({ id, revision }) => [id, String(revision)]));
  }
}

function storable(ids: readonly number[]): number[] {
  return ids.filter(isStorable);
}
