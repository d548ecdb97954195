import { ConflictError, newId, NotFoundError } from '@app/common';
import { SealingService, UnsealableError } from '@app/secrets';
import { ToolError } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { commonHosts, type OpenedSecrets } from './opened-secrets.js';
import { OrganizationSecrets } from './organization-secrets.js';
import { requireSecretName, requireUsableValue } from './secret-values.js';

export const MAX_SECRETS = 50;
const MOST_LISTED = 500;

/** All that is ever shown of a secret. */
export interface SecretRecord {
  name: string;
  description: string;
  createdAt: Date;
  /** When its value was set last. */
  updatedAt: Date;
}

interface SecretRow {
  name: string;
  description: string;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'name, description, created_at, updated_at';

/**
 * The secrets of workflows, sealed at rest. Values go in, and out again to running nodes alone. For callers who have
 * checked access.
 */
@Injectable()
export class WorkflowSecrets {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly organizations: OrganizationSecrets,
  ) {}

  /** By name. */
  async list(workflowId: string): Promise<SecretRecord[]> {
    const rows = await this.dataSource.query<SecretRow[]>(
      `SELECT ${COLUMNS} FROM workflow_secrets WHERE workflow_id = $1 ORDER BY name`,
      [workflowId],
    );
    return rows.map(toRecord);
  }

  async namesOf(workflowId: string): Promise<ReadonlySet<string>> {
    const rows = await this.dataSource.query<{ name: string }[]>(
      'SELECT name FROM workflow_secrets WHERE workflow_id = $1',
      [workflowId],
    );
    return new Set(rows.map(({ name }) => name));
  }

  /** @throws NotFoundError */
  async get(workflowId: string, name: string): Promise<SecretRecord> {
    const [row] = await this.dataSource.query<SecretRow[]>(
      `SELECT ${COLUMNS} FROM workflow_secrets WHERE workflow_id = $1 AND name = $2`,
      [workflowId, name],
    );
    if (!row) throw new NotFoundError();
    return toRecord(row);
  }

  /** @throws ValidationError; ConflictError `secret_exists`, `secret_limit_reached`; NotFoundError without a workflow. */
  async create(
    workflowId: string,
    secret: { name: string; value: string; description: string },
    tx: EntityManager,
  ): Promise<SecretRecord> {
    requireSecretName(secret.name);
    requireUsableValue(secret.value);
    // The lock makes creations of one workflow take turns, so that the limit holds; saves and runs do not wait for it.
    const [workflow] = await tx.query<{ count: number }[]>(
      `SELECT (SELECT count(*)::int FROM workflow_secrets WHERE workflow_id = w.id) AS count
       FROM (SELECT id FROM workflows WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE) w`,
      [workflowId],
    );
    if (!workflow) throw new NotFoundError();
    const id = newId();
    const rows = await tx.query<SecretRow[]>(
      `INSERT INTO workflow_secrets (id, workflow_id, name, description, value_sealed)
       SELECT $1, $2, $3, $4, $5 WHERE (SELECT count(*) FROM workflow_secrets WHERE workflow_id = $2) < $6
       ON CONFLICT ON CONSTRAINT workflow_secrets_workflow_id_name_key DO NOTHING RETURNING ${COLUMNS}`,
      [id, workflowId, secret.name, secret.description, this.sealing.seal(secret.value, placeOf(id)), MAX_SECRETS],
    );
    if (rows[0]) return toRecord(rows[0]);
    const [taken] = await tx.query<unknown[]>('SELECT 1 FROM workflow_secrets WHERE workflow_id = $1 AND name = $2', [
      workflowId,
      secret.name,
    ]);
    if (taken) throw new ConflictError('The workflow has a secret of this name.', { code: 'secret_exists' });
    throw new ConflictError(`A workflow has at most ${MAX_SECRETS} secrets.`, { code: 'secret_limit_reached' });
  }

  /** What is absent stays. @throws ValidationError, NotFoundError */
  async update(
    workflowId: string,
    name: string,
    change: { value?: string | undefined; description?: string | undefined },
    tx: EntityManager,
  ): Promise<SecretRecord> {
    if (change.value !== undefined) requireUsableValue(change.value);
    const [known] = await tx.query<{ id: string }[]>(
      'SELECT id FROM workflow_secrets WHERE workflow_id = $1 AND name = $2 FOR UPDATE',
      [workflowId, name],
    );
    if (!known) throw new NotFoundError();
    const sealed = change.value === undefined ? null : this.sealing.seal(change.value, placeOf(known.id));
    const [rows] = await tx.query<[SecretRow[], number]>(
      `UPDATE workflow_secrets SET description = coalesce($2, description), value_sealed = coalesce($3, value_sealed),
         updated_at = CASE WHEN $3::bytea IS NULL THEN updated_at ELSE now() END
       WHERE id = $1 RETURNING ${COLUMNS}`,
      [known.id, change.description ?? null, sealed],
    );
    return toRecord(rows[0]!);
  }

  /** Nodes that name it fail from now on. @throws NotFoundError */
  async delete(workflowId: string, name: string, tx: EntityManager): Promise<void> {
    const [, count] = await tx.query<[unknown, number]>(
      'DELETE FROM workflow_secrets WHERE workflow_id = $1 AND name = $2',
      [workflowId, name],
    );
    if (count === 0) throw new NotFoundError();
  }

  /**
   * The values, for the hand-over to a tool; an app has those of the workflow it comes from. What the workflow does not have is
   * its organisation's.
   * @param actorId as whom the node works
   * @throws ToolError `unknown_secret`, `secret_unreadable`
   */
  async open(workflowId: string, names: readonly string[], actorId: number): Promise<OpenedSecrets> {
    const rows = await this.dataSource.query<{ id: string; name: string; value_sealed: Buffer }[]>(
      `SELECT s.id, s.name, s.value_sealed FROM workflows w
       JOIN workflow_secrets s ON s.workflow_id = coalesce(w.app_of_id, w.id)
       WHERE w.id = $1 AND s.name = ANY($2::text[])`,
      [workflowId, names],
    );
    const values = new Map(rows.map(({ id, name, value_sealed: sealed }) => [name, this.openOne(id, name, sealed)]));
    const others = names.filter((name) => !values.has(name));
    const shared = await this.organizations.open(workflowId, others, actorId);
    for (const { name, value } of shared) values.set(name, value);
    const missing = others.filter((name) => !values.has(name));
    if (missing.length > 0) {
      throw new ToolError('unknown_secret', `The workflow has no secret ${missing.join(', ')}.`, false);
    }
    return { values, hosts: commonHosts(shared.map(({ hosts }) => hosts)) };
  }

  /** Those of all of the owner's workflows that can be opened, the newest first. */
  async listValuesOf(ownerId: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string; sealed: Buffer }[]>(
      `SELECT s.id, s.value_sealed AS sealed FROM workflows w JOIN workflow_secrets s ON s.workflow_id = w.id
       WHERE w.owner_id = $1 ORDER BY s.updated_at DESC LIMIT ${MOST_LISTED}`,
      [ownerId],
    );
    return rows.flatMap(({ id, sealed }) => this.sealing.openTextOrNull(sealed, placeOf(id)) ?? []);
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

const placeOf = (row: string) => ({ table: 'workflow_secrets', column: 'value_sealed', row });

function toRecord(row: SecretRow): SecretRecord {
  return { name: row.name, description: row.description, createdAt: row.created_at, updatedAt: row.updated_at };
}
