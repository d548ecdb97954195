import { NotFoundError } from '@app/common';
import { beingErased } from '@app/erasure';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type FilterAttributes, filterToSql } from './filter-sql.js';
import { type ScimUserRow, type Slice, USER_SCHEMA } from './scim-rows.js';
import type { ScimClient } from './scim-tokens.js';

const COLUMNS = `
  u.id, u.username, u.email, u.first_name, u.last_name, u.phone, u.language, u.is_active, u.is_staff, u.email_verified,
  u.scim_external_id, u.scim_display_name, u.date_joined, u.modified_at,
  (SELECT coalesce(json_agg(json_build_object('value', g.id, 'display', g.display_name) ORDER BY g.display_name), '[]')
   FROM scim_group_members m JOIN scim_groups g ON g.id = m.group_id
   WHERE m.user_id = u.id AND g.organization_id = u.organization_id) AS groups`;

/** The accounts of organisation $1; one that is being erased is gone already. */
const OWN = `u.organization_id = $1 AND NOT ${beingErased('u.id')}`;

const inGroup = (condition: string) =>
  `EXISTS (SELECT FROM scim_group_members m JOIN scim_groups g ON g.id = m.group_id
           WHERE m.user_id = u.id AND g.organization_id = u.organization_id AND ${condition})`;
const text = (sql: string) => ({ kind: 'text', sql }) as const;

const FILTERS: FilterAttributes = {
  id: { kind: 'text', sql: 'u.id::text', caseExact: true },
  externalid: { kind: 'text', sql: 'u.scim_external_id', caseExact: true },
  username: text('u.username'),
  displayname: text(`coalesce(u.scim_display_name, nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username)`),
  'name.givenname': text('u.first_name'),
  'name.familyname': text('u.last_name'),
  'name.formatted': text(`trim(u.first_name || ' ' || u.last_name)`),
  emails: text('u.email'),
  'emails.value': text('u.email'),
  'emails.type': text(`'work'`),
  'emails.primary': { kind: 'boolean', sql: 'true' },
  phonenumbers: text(`'+' || u.phone`),
  'phonenumbers.value': text(`'+' || u.phone`),
  preferredlanguage: text('u.language'),
  active: { kind: 'boolean', sql: 'u.is_active' },
  groups: { kind: 'text', sql: 'g.id::text', within: inGroup },
  'groups.value': { kind: 'text', sql: 'g.id::text', within: inGroup },
  'groups.display': { kind: 'text', sql: 'g.display_name', within: inGroup },
  'meta.created': { kind: 'date', sql: 'u.date_joined' },
  'meta.lastmodified': { kind: 'date', sql: 'u.modified_at' },
  'meta.resourcetype': text(`'User'`),
};

/** The accounts of a directory's organisation, and no others. */
@Injectable()
export class ScimUsers {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws InvalidRequestError (`invalid_filter`) */
  async list(
    { organizationId }: ScimClient,
    filter: string | undefined,
    { offset, limit }: Slice,
  ): Promise<{ total: number; rows: ScimUserRow[] }> {
    const values: unknown[] = [organizationId];
    const condition = filter ? `${OWN} AND ${filterToSql(filter, USER_SCHEMA, FILTERS, values)}` : OWN;
    const [{ total }] = await this.dataSource.query<[{ total: number }]>(
      `SELECT count(*)::int AS total FROM users u WHERE ${condition}`,
      values,
    );
    if (limit === 0 || offset >= total) return { total, rows: [] };
    const rows = await this.dataSource.query<ScimUserRow[]>(
      `SELECT ${COLUMNS} FROM users u WHERE ${condition}
       ORDER BY u.id OFFSET $${values.length + 1} LIMIT $${values.length + 2}`,
      [...values, offset, limit],
    );
    return { total, rows };
  }

  /** @throws NotFoundError */
  async get({ organizationId }: ScimClient, id: number): Promise<ScimUserRow> {
    return this.find(organizationId, id, '', this.dataSource.manager);
  }

  /** The same, while nobody else can change it until the transaction ends. */
  async lock({ organizationId }: ScimClient, id: number, tx: EntityManager): Promise<ScimUserRow> {
    return this.find(organizationId, id, 'FOR NO KEY UPDATE OF u', tx);
  }

  private async find(organizationId: number, id: number, locking: string, tx: EntityManager): Promise<ScimUserRow> {
    const [row] = await tx.query<ScimUserRow[]>(
      `SELECT ${COLUMNS} FROM users u WHERE ${OWN} AND u.id = $2 ${locking}`,
      [organizationId, id],
    );
    if (!row) throw new NotFoundError(`There is no user ${id}.`);
    return row;
  }
}
