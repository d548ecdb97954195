import { AuditLog } from '@app/audit';
import { newId, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { type FilterAttributes, filterToSql } from './filter-sql.js';
import { GROUP_SCHEMA, type ScimGroupFields, type ScimGroupRow, type Slice, unknownMember } from './scim-rows.js';
import type { ScimClient } from './scim-tokens.js';
import { ScimTransactions } from './scim-transactions.js';

const COLUMNS = 'g.id, g.display_name, g.external_id, g.created_at, g.modified_at';
const MEMBERS = `,
  (SELECT coalesce(json_agg(json_build_object('value', u.id::text, 'display', u.username) ORDER BY u.id), '[]')
   FROM scim_group_members m JOIN users u ON u.id = m.user_id
   WHERE m.group_id = g.id AND u.organization_id = g.organization_id) AS members`;

const hasMember = (condition: string) =>
  `EXISTS (SELECT FROM scim_group_members m JOIN users u ON u.id = m.user_id
           WHERE m.group_id = g.id AND u.organization_id = g.organization_id AND ${condition})`;

const FILTERS: FilterAttributes = {
  id: { kind: 'text', sql: 'g.id::text' },
  externalid: { kind: 'text', sql: 'g.external_id', caseExact: true },
  displayname: { kind: 'text', sql: 'g.display_name' },
  members: { kind: 'text', sql: 'u.id::text', within: hasMember },
  'members.value': { kind: 'text', sql: 'u.id::text', within: hasMember },
  'members.display': { kind: 'text', sql: 'u.username', within: hasMember },
  'meta.created': { kind: 'date', sql: 'g.created_at' },
  'meta.lastmodified': { kind: 'date', sql: 'g.modified_at' },
  'meta.resourcetype': { kind: 'text', sql: `'Group'` },
};

/** The groups of a directory's organisation; their names are roles of their members. */
@Injectable()
export class ScimGroups {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: ScimTransactions,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
  ) {}

  /** @throws InvalidRequestError (`invalid_filter`) */
  async list(
    { organizationId }: ScimClient,
    filter: string | undefined,
    { offset, limit }: Slice,
    withMembers: boolean,
  ): Promise<{ total: number; rows: ScimGroupRow[] }> {
    const values: unknown[] = [organizationId];
    const filtered = filter ? ` AND ${filterToSql(filter, GROUP_SCHEMA, FILTERS, values)}` : '';
    const from = `FROM scim_groups g WHERE g.organization_id = $1${filtered}`;
    const [{ total }] = await this.dataSource.query<[{ total: number }]>(
      `SELECT count(*)::int AS total ${from}`,
      values,
    );
    if (limit === 0 || offset >= total) return { total, rows: [] };
    const rows = await this.dataSource.query<ScimGroupRow[]>(
      `SELECT ${COLUMNS}${withMembers ? MEMBERS : ''} ${from}
       ORDER BY g.created_at, g.id OFFSET $${values.length + 1} LIMIT $${values.length + 2}`,
      [...values, offset, limit],
    );
    return { total, rows };
  }

  /** @throws NotFoundError */
  async get(client: ScimClient, id: string, withMembers = true): Promise<ScimGroupRow> {
    return this.find(client, id, withMembers, this.dataSource.manager);
  }

  /**
   * @returns the group's id
   * @throws ConflictError (`uniqueness`)
   * @throws InvalidRequestError (`invalid_value`) for a member who is not of the organisation
   */
  async create(client: ScimClient, fields: ScimGroupFields): Promise<string> {
    const id = newId();
    const touched = await this.transactions.run(client.organizationId, async (tx) => {
      await tx.query(
        'INSERT INTO scim_groups (id, organization_id, display_name, external_id) VALUES ($1, $2, $3, $4)',
        [id, client.organizationId, fields.displayName, fields.externalId],
      );
      const members = await this.writeMembers(client, id, fields.memberIds, tx);
      await this.record(client, id, { change: 'created', name: fields.displayName, ...countsOf(members) }, tx);
      return [...members.added, ...members.removed];
    });
    this.announce(touched);
    return id;
  }

  /** The same errors, and @throws NotFoundError */
  async update(client: ScimClient, id: string, next: (row: ScimGroupRow) => ScimGroupFields): Promise<void> {
    const touched = await this.transactions.run(client.organizationId, async (tx) => {
      const row = await this.find(client, id, true, tx);
      const fields = next(row);
      const renamed = fields.displayName !== row.display_name;
      const members = await this.writeMembers(client, id, fields.memberIds, tx);
      const moved = [...members.added, ...members.removed];
      if (!renamed && fields.externalId === row.external_id && moved.length === 0) return [];
      await tx.query('UPDATE scim_groups SET display_name = $2, external_id = $3, modified_at = now() WHERE id = $1', [
        id,
        fields.displayName,
        fields.externalId,
      ]);
      await this.record(client, id, { change: 'updated', name: fields.displayName, ...countsOf(members) }, tx);
      return renamed ? [...moved, ...fields.memberIds] : moved;
    });
    this.announce(touched);
  }

  /** @throws NotFoundError */
  async remove(client: ScimClient, id: string): Promise<void> {
    const touched = await this.transactions.run(client.organizationId, async (tx) => {
      const { display_name: name, members = [] } = await this.find(client, id, true, tx);
      await tx.query('DELETE FROM scim_groups WHERE id = $1', [id]);
      await this.record(client, id, { change: 'removed', name }, tx);
      return members.map(({ value }) => Number(value));
    });
    this.announce(touched);
  }

  private async find({ organizationId }: ScimClient, id: string, withMembers: boolean, tx: EntityManager) {
    const [row] = await tx.query<ScimGroupRow[]>(
      `SELECT ${COLUMNS}${withMembers ? MEMBERS : ''} FROM scim_groups g WHERE g.organization_id = $1 AND g.id = $2`,
      [organizationId, id],
    );
    if (!row) throw new NotFoundError(`There is no group ${id}.`);
    return row;
  }

  private async writeMembers({ organizationId }: ScimClient, groupId: string, ids: number[], tx: EntityManager) {
    const [missing] = await tx.query<{ id: number }[]>(
      `SELECT wanted.id FROM unnest($1::int[]) AS wanted (id)
       LEFT JOIN users u ON u.id = wanted.id AND u.organization_id = $2
       WHERE u.id IS NULL LIMIT 1`,
      [ids, organizationId],
    );
    if (missing) throw unknownMember(String(missing.id));
    const [removed] = await tx.query<[{ user_id: number }[], number]>(
      'DELETE FROM scim_group_members WHERE group_id = $1 AND user_id <> ALL ($2::int[]) RETURNING user_id',
      [groupId, ids],
    );
    const added = await tx.query<{ user_id: number }[]>(
      `INSERT INTO scim_group_members (group_id, user_id) SELECT $1, unnest($2::int[])
       ON CONFLICT DO NOTHING RETURNING user_id`,
      [groupId, ids],
    );
    return { added: added.map((row) => row.user_id), removed: removed.map((row) => row.user_id) };
  }

  private async record(client: ScimClient, id: string, details: Record<string, unknown>, tx: EntityManager) {
    const { organizationId, tokenName } = client;
    await this.audit.record(
      {
        action: 'scim.group_changed',
        actor: null,
        target: `group:${id}`,
        details: { ...details, organization: organizationId, token: tokenName },
      },
      tx,
    );
  }

  /** Profiles are remembered with their roles. */
  private announce(userIds: readonly number[]): void {
    for (const userId of new Set(userIds)) this.principals.announce({ userId });
  }
}

function countsOf({ added, removed }: { added: number[]; removed: number[] }) {
  return { added: added.length, removed: removed.length };
}
