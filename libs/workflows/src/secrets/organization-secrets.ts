import { Gates } from '@app/entitlements';
import { confirmedMember } from '@app/access';
import { ConflictError, newId, NotFoundError } from '@app/common';
import { SealingService, UnsealableError } from '@app/secrets';
import { ToolError } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { parseSecretHosts } from './secret-hosts.js';
import { requireSecretName, requireUsableValue } from './secret-values.js';

export const MAX_ORGANIZATION_SECRETS = 100;
const MOST_LISTED = 500;

/** All that is ever shown of one. */
export interface OrganizationSecretRecord {
  name: string;
  description: string;
  /** Null for anywhere that workflows may reach. */
  hosts: string[] | null;
  createdAt: Date;
  /** When its value was set last. */
  updatedAt: Date;
}

export interface OpenedOrganizationSecret {
  name: string;
  value: string;
  hosts: string[] | null;
}

const COLUMNS = 'name, description, hosts, created_at AS "createdAt", updated_at AS "updatedAt"';
const placeOf = (row: string) => ({ table: 'organization_secrets', column: 'value_sealed', row });

/**
 * Secrets of organisations, sealed at rest: named in workflows like those of the workflow itself, which win
 * (docs/contract/organisations.md#secrets). For callers who have locked the organisation and checked the role.
 */
@Injectable()
export class OrganizationSecrets {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly gates: Gates,
  ) {}

  /** By name. */
  async list(
    organizationId: number,
    db: Pick<EntityManager, 'query'> = this.dataSource,
  ): Promise<OrganizationSecretRecord[]> {
    return db.query<OrganizationSecretRecord[]>(
      `SELECT ${COLUMNS} FROM organization_secrets WHERE organization_id = $1 ORDER BY name`,
      [organizationId],
    );
  }

  /** @throws ValidationError; ConflictError `secret_exists`, `secret_limit_reached` */
  async create(
    organizationId: number,
    secret: { name: string; value: string; description: string; hosts: readonly string[] },
    tx: EntityManager,
  ): Promise<OrganizationSecretRecord> {
    requireSecretName(secret.name);
    requireUsableValue(secret.value);
    const hosts = parseSecretHosts(secret.hosts);
    const known = await this.list(organizationId, tx);
    if (known.some(({ name }) => name === secret.name))
      throw new ConflictError('The organization has a secret of this name.', { code: 'secret_exists' });
    if (known.length >= MAX_ORGANIZATION_SECRETS)
      throw new ConflictError(`An organization has at most ${MAX_ORGANIZATION_SECRETS} secrets.`, {
        code: 'secret_limit_reached',
      });
    const id = newId();
    const [row] = await tx.query<[OrganizationSecretRecord]>(
      `INSERT INTO organization_secrets (id, organization_id, name, description, value_sealed, hosts)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
      [id, organizationId, secret.name, secret.description, this.sealing.seal(secret.value, placeOf(id)), hosts],
    );
    return row;
  }

  /**
   * What is absent stays. More hosts need the value anew: who may change a secret but does not know it could otherwise
   * have it sent to a host of their own.
   * @throws ValidationError; ConflictError `value_required`; NotFoundError
   */
  async update(
    organizationId: number,
    name: string,
    change: { value?: string | undefined; description?: string | undefined; hosts?: readonly string[] | undefined },
    tx: EntityManager,
  ): Promise<OrganizationSecretRecord> {
    if (change.value !== undefined) requireUsableValue(change.value);
    const [known] = await tx.query<{ id: string; hosts: string[] | null }[]>(
      'SELECT id, hosts FROM organization_secrets WHERE organization_id = $1 AND name = $2 FOR UPDATE',
      [organizationId, name],
    );
    if (!known) throw new NotFoundError();
    const hosts = change.hosts === undefined ? known.hosts : parseSecretHosts(change.hosts);
    if (change.value === undefined && isWider(hosts, known.hosts))
      throw new ConflictError('Set the value anew to send the secret to more hosts.', { code: 'value_required' });
    const sealed = change.value === undefined ? null : this.sealing.seal(change.value, placeOf(known.id));
    const [rows] = await tx.query<[OrganizationSecretRecord[], number]>(
      `UPDATE organization_secrets SET description = coalesce($2, description), value_sealed = coalesce($3, value_sealed),
         hosts = $4, updated_at = CASE WHEN $3::bytea IS NULL THEN updated_at ELSE now() END
       WHERE id = $1 RETURNING ${COLUMNS}`,
      [known.id, change.description ?? null, sealed, hosts],
    );
    return rows[0]!;
  }

  /** Nodes that name it fail from now on. @throws NotFoundError */
  async delete(organizationId: number, name: string, tx: EntityManager): Promise<void> {
    const [, count] = await tx.query<[unknown, number]>(
      'DELETE FROM organization_secrets WHERE organization_id = $1 AND name = $2',
      [organizationId, name],
    );
    if (count === 0) throw new NotFoundError();
  }

  /** What somebody may name in a workflow; null where they are not of the organisation of its owner. */
  async namesFor(workflowId: string, userId: number): Promise<readonly string[] | null> {
    const [row] = await this.dataSource.query<{ names: string[] }[]>(
      `SELECT ARRAY(SELECT s.name FROM organization_secrets s WHERE s.organization_id = o.organization_id) AS names
       FROM workflows w JOIN users o ON o.id = w.owner_id
       JOIN users u ON u.id = $2 AND u.organization_id = o.organization_id
       WHERE w.id = $1 AND ${confirmedMember('o')} AND ${confirmedMember('u')}`,
      [workflowId, userId],
    );
    if (row && (await this.isSold(userId))) return row.names;
    return row ? [] : null;
  }

  /**
   * The values, for the hand-over to a node, as everything stands now: the owner of the workflow, of an app its author too,
   * and whoever acts in the node have to be people of the organisation whose addresses are confirmed. Others have no such
   * secrets.
   * @throws ToolError `secret_unreadable`
   */
  async open(workflowId: string, names: readonly string[], actorId: number): Promise<OpenedOrganizationSecret[]> {
    if (names.length === 0 || !(await this.isSold(actorId))) return [];
    const rows = await this.dataSource.query<{ id: string; name: string; sealed: Buffer; hosts: string[] | null }[]>(
      `SELECT s.id, s.name, s.value_sealed AS sealed, s.hosts
       FROM workflows w JOIN users o ON o.id = w.owner_id
       JOIN users u ON u.id = $3 AND u.organization_id = o.organization_id
       LEFT JOIN workflows origin ON origin.id = w.app_of_id LEFT JOIN users author ON author.id = origin.owner_id
       JOIN organization_secrets s ON s.organization_id = o.organization_id AND s.name = ANY($2::text[])
       WHERE w.id = $1 AND o.is_active AND u.is_active AND ${confirmedMember('o')} AND ${confirmedMember('u')}
         AND (w.app_of_id IS NULL OR (author.organization_id = s.organization_id AND ${confirmedMember('author')}))`,
      [workflowId, names, actorId],
    );
    return rows.map(({ id, name, sealed, hosts }) => ({ name, value: this.openOne(id, name, sealed), hosts }));
  }

  /** Those that somebody's workflows may use and that can be opened, the newest first. */
  async listValuesOf(userId: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string; sealed: Buffer }[]>(
      `SELECT s.id, s.value_sealed AS sealed FROM users u JOIN organization_secrets s ON s.organization_id = u.organization_id
       WHERE u.id = $1 ORDER BY s.updated_at DESC LIMIT ${MOST_LISTED}`,
      [userId],
    );
    return rows.flatMap(({ id, sealed }) => this.sealing.openTextOrNull(sealed, placeOf(id)) ?? []);
  }

  /** A plan that loses them keeps them, unused. Members of one organisation have one plan. */
  private async isSold(memberId: number): Promise<boolean> {
    return !(await this.gates.missingOf(memberId)).has('global_secrets');
  }

  private openOne(id: string, name: string, sealed: Buffer): string {
    try {
      return this.sealing.openText(sealed, placeOf(id));
    } catch (error) {
      if (!(error instanceof UnsealableError)) throw error;
      throw new ToolError('secret_unreadable', `The secret ${name} cannot be opened; set it again.`, false);
    }
  }
}

function isWider(hosts: string[] | null, before: string[] | null): boolean {
  if (before === null) return false;
  return hosts === null || hosts.some((host) => !before.includes(host));
}
