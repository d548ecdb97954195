import { type Addressed, AddressTrust } from '@app/access';
import { AuditLog } from '@app/audit';
import { ForbiddenError, InvalidRequestError, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { getTable, lockTable, type TableActor } from './table-access.js';
import type { GrantRole } from './table-record.js';

export interface TableGrant {
  user: { id: number; username: string; email: string };
  role: GrantRole;
  createdAt: Date;
}

/** Addresses as they were given, each once. */
export interface GrantedTable {
  added: string[];
  /** Those who had access already; they have the role now. */
  updated: string[];
  /** No active account has confirmed them. */
  notFound: string[];
}

const addressOf = ({ address }: Addressed): string => address;

/** Who else reads or changes a table. It takes effect, and ends, on the very next request. */
@Injectable()
export class TableGrants {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    private readonly trust: AddressTrust,
  ) {}

  /** In the order in which they came. @throws NotFoundError, ForbiddenError for everybody but the owner */
  async list(ownerId: number, tableId: string): Promise<TableGrant[]> {
    await getTable(this.dataSource, ownerId, tableId, 'own');
    return this.dataSource.query<TableGrant[]>(
      `SELECT jsonb_build_object('id', u.id, 'username', u.username, 'email', u.email) AS user, g.role,
         g.created_at AS "createdAt"
       FROM extracted_table_grants g JOIN users u ON u.id = g.user_id WHERE g.table_id = $1 ORDER BY g.created_at, u.id`,
      [tableId],
    );
  }

  /** @throws InvalidRequestError `cannot_add_owner`; NotFoundError, ForbiddenError */
  async add(actor: TableActor, tableId: string, emails: readonly string[], role: GrantRole): Promise<GrantedTable> {
    return this.dataSource.transaction(async (tx) => {
      await lockTable(tx, actor.userId, tableId, 'own');
      const addressed = await this.trust.findAddressed(tx, emails);
      if (addressed.some(({ id }) => id === actor.userId))
        throw new InvalidRequestError('The table is your own already.', { code: 'cannot_add_owner' });
      const people = addressed.filter(({ id }) => id !== null);
      const ids = people.flatMap(({ id }) => id ?? []);
      // None of them is erased before the grant points to it.
      await tx.query('SELECT FROM users WHERE id = ANY($1::int[]) ORDER BY id FOR KEY SHARE', [ids]);
      const known = await tx.query<{ id: number }[]>(
        'SELECT user_id AS id FROM extracted_table_grants WHERE table_id = $1 AND user_id = ANY($2::int[])',
        [tableId, ids],
      );
      const isKnown = (person: Addressed) => known.some(({ id }) => id === person.id);
      await tx.query(
        `INSERT INTO extracted_table_grants (table_id, user_id, role) SELECT $1, unnest($2::int[]), $3
         ON CONFLICT (table_id, user_id) DO UPDATE SET role = excluded.role`,
        [tableId, ids, role],
      );
      for (const person of people) {
        const action = isKnown(person) ? 'extracted_table.grant_changed' : 'extracted_table.shared';
        await this.record(tx, action, actor, tableId, person, { role });
      }
      return {
        added: people.filter((person) => !isKnown(person)).map(addressOf),
        updated: people.filter(isKnown).map(addressOf),
        notFound: addressed.filter(({ id }) => id === null).map(addressOf),
      };
    });
  }

  /** By the owner, or by whoever has it, who leaves. @throws NotFoundError, ForbiddenError */
  async remove(actor: TableActor, tableId: string, userId: number): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const isLeaving = actor.userId === userId;
      const { role } = await lockTable(tx, actor.userId, tableId, 'read');
      if (role !== 'owner' && !isLeaving)
        throw new ForbiddenError('Only the owner of the table can do this.', { code: 'not_table_owner' });
      const [[removed]] = await tx.query<[{ id: number; username: string }[], number]>(
        `DELETE FROM extracted_table_grants g USING users u
         WHERE g.table_id = $1 AND g.user_id = $2 AND u.id = g.user_id RETURNING u.id, u.username`,
        [tableId, userId],
      );
      if (!removed) throw new NotFoundError('There is no such grant.', { code: 'grant_not_found' });
      const action = isLeaving ? 'extracted_table.left' : 'extracted_table.unshared';
      await this.record(tx, action, actor, tableId, removed, {});
    });
  }

  private record(
    tx: EntityManager,
    action: `extracted_table.${'shared' | 'grant_changed' | 'unshared' | 'left'}`,
    actor: TableActor,
    tableId: string,
    { id, username }: { id: number | null; username: string | null },
    details: Record<string, unknown>,
  ): Promise<void> {
    const target = `extracted_table:${tableId}`;
    return this.audit.record({ action, actor, subjectId: id, target, details: { user: username, ...details } }, tx);
  }
}
