import { lockActiveAccount } from '@app/access';
import { ConflictError, ForbiddenError, newTimeOrderedId, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { MAX_DATABASES } from './table-limits.js';
import { visibleTableIds } from './table-record.js';

export interface TableDatabase {
  id: string;
  name: string;
  /** Of the owner. */
  email: string;
  organizationName: string;
  /** In their order; those that the owner still sees. */
  tableIds: string[];
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `d.id, d.name, u.email, coalesce(o.name, '') AS "organizationName",
  ARRAY(SELECT m.table_id FROM extracted_table_database_members m
    WHERE m.database_id = d.id AND m.table_id IN ${visibleTableIds('d.owner_id')} ORDER BY m.position)::text[] AS "tableIds",
  d.created_at AS "createdAt", d.updated_at AS "updatedAt"`;
const SOURCES = `extracted_table_databases d JOIN users u ON u.id = d.owner_id
  LEFT JOIN organizations o ON o.id = u.organization_id`;

/** Tables that somebody has put together under a name. They are their owner's alone. */
@Injectable()
export class TableDatabases {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  async list(ownerId: number, organizationName: string | null = null): Promise<TableDatabase[]> {
    return this.dataSource.query<TableDatabase[]>(
      `SELECT ${COLUMNS} FROM ${SOURCES} WHERE d.owner_id = $1 AND ($2::text IS NULL OR coalesce(o.name, '') = $2)
       ORDER BY d.id DESC`,
      [ownerId, organizationName],
    );
  }

  /** @throws NotFoundError; ForbiddenError for somebody else's */
  async get(ownerId: number, id: string): Promise<TableDatabase> {
    return this.read(this.dataSource.manager, ownerId, id);
  }

  /** @throws ForbiddenError for a table that is not shown to the owner; ConflictError `database_limit_reached` */
  async create(ownerId: number, name: string, tableIds: readonly string[]): Promise<TableDatabase> {
    const id = newTimeOrderedId();
    return this.dataSource.transaction(async (tx) => {
      if ((await lockActiveAccount(tx, ownerId)) === null) throw new ForbiddenError();
      const [{ count }] = await tx.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM extracted_table_databases WHERE owner_id = $1',
        [ownerId],
      );
      if (count >= MAX_DATABASES)
        throw new ConflictError(`You can have ${MAX_DATABASES} table databases at most.`, {
          code: 'database_limit_reached',
        });
      await tx.query('INSERT INTO extracted_table_databases (id, owner_id, name) VALUES ($1, $2, $3)', [
        id,
        ownerId,
        name,
      ]);
      await putMembers(tx, ownerId, id, tableIds);
      return this.read(tx, ownerId, id);
    });
  }

  /** @throws NotFoundError, ForbiddenError */
  async update(
    ownerId: number,
    id: string,
    { name, tableIds }: { name?: string | undefined; tableIds?: readonly string[] | undefined },
  ): Promise<TableDatabase> {
    return this.dataSource.transaction(async (tx) => {
      await tx.query('SELECT FROM extracted_table_databases WHERE id = $1 AND owner_id = $2 FOR NO KEY UPDATE', [
        id,
        ownerId,
      ]);
      await this.read(tx, ownerId, id);
      await tx.query(
        'UPDATE extracted_table_databases SET name = coalesce($3, name), updated_at = now() WHERE id = $1 AND owner_id = $2',
        [id, ownerId, name ?? null],
      );
      if (tableIds !== undefined) await putMembers(tx, ownerId, id, tableIds);
      return this.read(tx, ownerId, id);
    });
  }

  /** The grouping; its tables stay. @throws NotFoundError, ForbiddenError */
  async delete(ownerId: number, id: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await this.read(tx, ownerId, id);
      await tx.query('DELETE FROM extracted_table_databases WHERE id = $1 AND owner_id = $2', [id, ownerId]);
    });
  }

  private async read(db: EntityManager, ownerId: number, id: string): Promise<TableDatabase> {
    const [found] = await db.query<(TableDatabase & { isOwn: boolean })[]>(
      `SELECT ${COLUMNS}, d.owner_id = $1 AS "isOwn" FROM ${SOURCES} WHERE d.id = $2`,
      [ownerId, id],
    );
    if (!found) throw new NotFoundError('Table database not found.', { code: 'tables_database_not_found' });
    const { isOwn, ...database } = found;
    if (!isOwn) throw new ForbiddenError('This table database is not yours.', { code: 'tables_database_not_yours' });
    return database;
  }
}

async function putMembers(tx: EntityManager, ownerId: number, id: string, tableIds: readonly string[]): Promise<void> {
  const once = [...new Set(tableIds)];
  const visible = await tx.query<unknown[]>(
    `SELECT FROM extracted_tables t WHERE t.id = ANY($2::uuid[]) AND t.id IN ${visibleTableIds('$1')} ORDER BY t.id FOR KEY SHARE`,
    [ownerId, once],
  );
  if (visible.length !== once.length)
    throw new ForbiddenError('One of these tables is neither yours nor shared with you.', { code: 'table_not_yours' });
  await tx.query('DELETE FROM extracted_table_database_members WHERE database_id = $1', [id]);
  await tx.query(
    `INSERT INTO extracted_table_database_members (database_id, table_id, position)
     SELECT $1, table_id, n FROM unnest($2::uuid[]) WITH ORDINALITY AS given (table_id, n)`,
    [id, once],
  );
}
