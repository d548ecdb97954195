import { AuditLog } from '@app/audit';
import { InvalidRequestError, NotFoundError, toJsonText } from '@app/common';
import { addressOfRegistered, type RegisteredModel } from '@app/config';
import { LiveBus } from '@app/live';
import { SealingService } from '@app/secrets';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LanguageModels } from '../language-models.js';
import { keyOf, type ModelDraft, readDraft, requireCallable } from './model-draft.js';
import { columnsOf, managedOrganization, type ModelOwner, OF_OWNER, PLATFORM } from './model-owner.js';
import { MODEL_RULES, type ModelRules } from './model-rules.js';
import { SharedRegistry } from './shared-registry.js';
import {
  type ModelSecrets,
  NO_SECRETS,
  openSecrets,
  RECORD_COLUMNS,
  type RegisteredRecord,
  type RegisteredRow,
  ROW_COLUMNS,
  sealSecrets,
} from './registered-row.js';

/** Who asks, and for whom: staff for everybody, an administrator for the organisation, a person for themselves. */
export type ModelScope = ModelOwner['kind'];

export interface ModelActor {
  userId: number;
  username: string;
}

const MOST: Readonly<Record<ModelScope, number>> = { platform: 2000, organization: 20, user: 20 };
/** Of the three scopes, each with the owner's number: two requests cannot both make the last one, nor two defaults. */
const LOCKS: Readonly<Record<ModelScope, number>> = {
  platform: 0x6d6f6470,
  organization: 0x6d6f646f,
  user: 0x6d6f6475,
};

/** Models that are registered while the platform runs (docs/operations/language-models.md#registered-models). */
@Injectable()
export class RegisteredModels {
  constructor(
    private readonly dataSource: DataSource,
    private readonly models: LanguageModels,
    private readonly sealing: SealingService,
    private readonly audit: AuditLog,
    private readonly live: LiveBus,
    private readonly shared: SharedRegistry,
    @Inject(MODEL_RULES) private readonly rules: ModelRules,
  ) {}

  /** In the order in which they are offered. @throws ForbiddenError `not_organization_admin` */
  async list(scope: ModelScope, { userId }: ModelActor): Promise<RegisteredRecord[]> {
    const owner = await this.ownerOf(scope, userId, this.dataSource.manager, false);
    return this.dataSource.query<RegisteredRecord[]>(
      `SELECT ${RECORD_COLUMNS} FROM registered_models m WHERE ${OF_OWNER} ORDER BY m.position, m.id`,
      valuesOf(owner),
    );
  }

  /** @throws NotFoundError for one of somebody else; ForbiddenError */
  async get(scope: ModelScope, actor: ModelActor, id: number): Promise<RegisteredRecord> {
    return withoutSecret(await this.rowOf(scope, actor, id));
  }

  /** With its secret, for calls alone. @throws NotFoundError for one of somebody else; ForbiddenError */
  async rowOf(scope: ModelScope, { userId }: ModelActor, id: number): Promise<RegisteredRow> {
    const owner = await this.ownerOf(scope, userId, this.dataSource.manager, false);
    return getRow(this.dataSource.manager, owner, id);
  }

  /** @throws ValidationError, ForbiddenError, InvalidRequestError `model_limit_reached` */
  async create(scope: ModelScope, actor: ModelActor, draft: ModelDraft): Promise<RegisteredRecord> {
    const allowed = await this.ownerOf(scope, actor.userId, this.dataSource.manager, false);
    const model = await this.read(draft, null, allowed);
    const secrets = secretsOf(draft, NO_SECRETS);
    const { id, record } = await this.dataSource.transaction(async (tx) => {
      const owner = await this.ownerOf(scope, actor.userId, tx, true);
      await lock(tx, owner);
      await requireRoom(tx, owner);
      const made = await this.newId(tx);
      if (draft.isDefault) await clearDefault(tx);
      await tx.query(
        `INSERT INTO registered_models (id, user_id, organization_id, name, value, definition, secret_sealed, has_key,
           header_names, enabled, is_default, position)
         OVERRIDING SYSTEM VALUE VALUES ($3, $1, $2, $4, $5, $6::jsonb, $7, $8, $9, $10, $11, $12)`,
        [
          ...valuesOf(owner),
          made,
          ...toColumns(model),
          sealSecrets(this.sealing, made, secrets),
          secrets.apiKey !== null,
          Object.keys(secrets.headers),
          draft.enabled ?? true,
          draft.isDefault ?? false,
          draft.position ?? 0,
        ],
      );
      await this.note('model.created', actor, scope, { id: made, model }, tx);
      return { id: made, record: await getRow(tx, owner, made) };
    });
    await this.tell(id, scope);
    return withoutSecret(record);
  }

  /**
   * What is absent stays. With another address or protocol the stored secrets are erased unless new ones come along: they
   * were not given for that address.
   * @throws ValidationError, NotFoundError, ForbiddenError
   */
  async update(scope: ModelScope, actor: ModelActor, id: number, draft: ModelDraft): Promise<RegisteredRecord> {
    const known = await this.rowOf(scope, actor, id);
    const model = await this.read(draft, known, { userId: known.userId, organizationId: known.organizationId });
    const isElsewhere = placeOf(model) !== placeOf(known.definition);
    const secrets = secretsOf(draft, isElsewhere ? NO_SECRETS : openSecrets(this.sealing, known));
    const isOtherSecret = isElsewhere || draft.apiKey !== undefined || draft.headers !== undefined;
    const updated = await this.dataSource.transaction(async (tx) => {
      const owner = await this.ownerOf(scope, actor.userId, tx, true);
      await lock(tx, owner);
      if ((await getRow(tx, owner, id)).version !== known.version) return null;
      if (draft.isDefault) await clearDefault(tx, id);
      const [, count] = await tx.query<[unknown, number]>(
        `UPDATE registered_models m SET name = $4, value = $5, definition = $6::jsonb,
           secret_sealed = CASE WHEN $7 THEN $8::bytea ELSE secret_sealed END,
           has_key = CASE WHEN $7 THEN $9 ELSE has_key END,
           header_names = CASE WHEN $7 THEN $10::text[] ELSE header_names END,
           enabled = coalesce($11, enabled), is_default = coalesce($12, is_default), position = coalesce($13, position),
           test_status = 'untested', tested_at = NULL, test_code = NULL, test_reason = NULL,
           version = version + 1, updated_at = now()
         WHERE ${OF_OWNER} AND m.id = $3 AND m.version = $14`,
        [
          ...valuesOf(owner),
          id,
          ...toColumns(model),
          isOtherSecret,
          isOtherSecret ? sealSecrets(this.sealing, id, secrets) : null,
          secrets.apiKey !== null,
          Object.keys(secrets.headers),
          draft.enabled ?? null,
          draft.isDefault ?? null,
          draft.position ?? null,
          known.version,
        ],
      );
      if (count === 0) return null;
      await this.note('model.updated', actor, scope, { id, model }, tx);
      return getRow(tx, owner, id);
    });
    // Somebody else changed it since it was read: what this means has to be thought over.
    if (updated === null) return this.update(scope, actor, id, draft);
    await this.tell(id, scope);
    return withoutSecret(updated);
  }

  /** Whoever has it chosen is answered by the default from now on. @throws NotFoundError, ForbiddenError */
  async delete(scope: ModelScope, actor: ModelActor, id: number): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const owner = await this.ownerOf(scope, actor.userId, tx, true);
      const { name, value, definition } = await getRow(tx, owner, id);
      await tx.query('DELETE FROM registered_models WHERE id = $1', [id]);
      await this.note('model.deleted', actor, scope, { id, model: { ...definition, name, value } }, tx);
    });
    await this.tell(id, scope);
  }

  /** @throws ForbiddenError for somebody who manages no models there */
  async requireScope(scope: ModelScope, { userId }: ModelActor): Promise<void> {
    await this.ownerOf(scope, userId, this.dataSource.manager, false);
  }

  private async ownerOf(
    scope: ModelScope,
    userId: number,
    db: Pick<EntityManager, 'query'>,
    isChange: boolean,
  ): Promise<ModelOwner> {
    if (scope === 'organization') return managedOrganization(db, userId, isChange);
    return scope === 'user' ? { kind: 'user', userId } : PLATFORM;
  }

  private async read(
    draft: ModelDraft,
    known: RegisteredRecord | null,
    owner: ModelOwner | { userId: number | null; organizationId: number | null },
  ): Promise<RegisteredModel> {
    const isPlatform =
      'kind' in owner ? owner.kind === 'platform' : owner.userId === null && owner.organizationId === null;
    const model = readDraft(draft, known, {
      isPlatform,
      currency: this.rules.currency,
      answers: (id) => id !== known?.id && this.models.find(id) !== null,
    });
    const isPlaced = known !== null && placeOf(model) === placeOf(known.definition);
    if (!isPlatform && !isPlaced) await requireCallable(model, this.rules.guard);
    return model;
  }

  /** None that the settings use: what profiles say of today must not come to mean another. */
  private async newId(tx: EntityManager): Promise<number> {
    for (;;) {
      const [{ id }] = await tx.query<[{ id: number }]>(
        `SELECT nextval(pg_get_serial_sequence('registered_models', 'id'))::int AS id`,
      );
      if (!this.rules.configuredIds.has(id)) return id;
    }
  }

  /** Other processes a moment later; this one before anybody is told that it is done. */
  private async tell(modelId: number, scope: ModelScope): Promise<void> {
    this.live.invalidate('models', { modelId, isShared: scope === 'platform' });
    await this.shared.reload();
  }

  private async note(
    action: 'model.created' | 'model.updated' | 'model.deleted',
    actor: ModelActor,
    scope: ModelScope,
    { id, model }: { id: number; model: RegisteredModel },
    tx: EntityManager,
  ): Promise<void> {
    const host = URL.parse(addressOfRegistered(model))?.host ?? '';
    const details = { scope, name: model.name, value: model.value, host };
    await this.audit.record({ action, actor, target: `model:${id}`, details }, tx);
  }
}

function valuesOf(owner: ModelOwner): [number | null, number | null] {
  const { userId, organizationId } = columnsOf(owner);
  return [userId, organizationId];
}

async function getRow(db: Pick<EntityManager, 'query'>, owner: ModelOwner, id: number): Promise<RegisteredRow> {
  const [row] = await db.query<RegisteredRow[]>(
    `SELECT ${ROW_COLUMNS} FROM registered_models m WHERE ${OF_OWNER} AND m.id = $3`,
    [...valuesOf(owner), id],
  );
  if (!row) throw new NotFoundError('There is no such model.', { code: 'model_not_found' });
  return row;
}

async function lock(tx: EntityManager, owner: ModelOwner): Promise<void> {
  const { userId, organizationId } = columnsOf(owner);
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCKS[owner.kind], userId ?? organizationId ?? 0]);
}

async function requireRoom(tx: EntityManager, owner: ModelOwner): Promise<void> {
  const [{ count }] = await tx.query<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM registered_models m WHERE ${OF_OWNER}`,
    valuesOf(owner),
  );
  const most = MOST[owner.kind];
  if (count >= most)
    throw new InvalidRequestError(`At most ${most} models can be registered here.`, { code: 'model_limit_reached' });
}

async function clearDefault(tx: EntityManager, except: number | null = null): Promise<void> {
  await tx.query(
    `UPDATE registered_models SET is_default = false, version = version + 1, updated_at = now()
     WHERE is_default AND id IS DISTINCT FROM $1::int`,
    [except],
  );
}

function toColumns({ name, value, ...definition }: RegisteredModel): [string, string, string] {
  return [name, value, toJsonText(definition)];
}

function secretsOf({ apiKey, headers }: ModelDraft, kept: ModelSecrets): ModelSecrets {
  return {
    apiKey: apiKey === undefined ? kept.apiKey : keyOf(apiKey),
    headers: headers === undefined ? kept.headers : ((headers ?? {}) as ModelSecrets['headers']),
  };
}

/** Where secrets go, and in which protocol. */
function placeOf(model: Partial<RegisteredModel>): string {
  return `${model.protocol ?? model.provider ?? ''} ${addressOfRegistered(model)}`;
}

function withoutSecret(row: RegisteredRow): RegisteredRecord {
  const { secretSealed: _, ...record } = row;
  return record;
}
