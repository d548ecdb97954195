import type { LanguageModel } from '@app/integrations';
import { LiveBus } from '@app/live';
import { SealingService } from '@app/secrets';
import { Inject, Injectable, Logger, type OnModuleInit, Optional } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CallBudgets } from '../budget/call-budgets.js';
import { Endpoint } from '../calls/endpoint.js';
import { toListed } from '../create-models.js';
import type { ListedModel } from '../language-models.js';
import { UsageLedger } from '../metering/usage-ledger.js';
import { ServedModel } from '../served-model.js';
import { MODEL_RULES, type ModelRules } from './model-rules.js';
import type { OwnerColumns } from './model-owner.js';
import { OwnModelRights } from './own-model-rights.js';
import { type RegisteredRow, ROW_COLUMNS, toDefinition } from './registered-row.js';
import { SharedRegistry } from './shared-registry.js';

/** Below, ids are those of the settings. */
export const FIRST_REGISTERED_ID = 100_000;
/** Who missed the push sees a change by then. */
const REMEMBERED_MS = 5_000;
const MOST_REMEMBERED = 2_000;

interface Known extends OwnerColumns {
  version: number;
  readAt: number;
  endpoint: Endpoint;
  model: LanguageModel;
}

/** SQL: the enabled rows `m` that the person `$1` may use: their own, and those of their organisation. */
const USABLE = `m.enabled AND (m.user_id = $1 OR m.organization_id = (SELECT u.organization_id FROM users u WHERE u.id = $1))`;

/** Models that people and organisations registered, for those who may use them. */
@Injectable()
export class OwnModels implements OnModuleInit {
  private readonly logger = new Logger('LanguageModels');
  /** By id; those asked for last stand last. */
  private readonly known = new Map<number, Known>();
  /** How often something was said to have changed: what was read meanwhile is not relied upon. */
  private changes = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
    private readonly ledger: UsageLedger,
    private readonly budgets: CallBudgets,
    private readonly live: LiveBus,
    private readonly registry: SharedRegistry,
    @Inject(MODEL_RULES) private readonly rules: ModelRules,
    @Optional() private readonly rights?: OwnModelRights,
  ) {}

  onModuleInit(): void {
    this.live.onGap(() => this.forgetAll());
    const subscribed = this.live.subscribe('models', ({ modelId }) => this.forget(modelId));
    subscribed.catch((error: Error) => this.logger.warn(`Changes of models are not pushed: ${error.message}`));
  }

  /**
   * A model of the person, or of their organisation.
   * @param organizationId theirs, where it is known by now
   */
  async find(userId: number, id: number, organizationId?: number | null): Promise<LanguageModel | null> {
    if (id < FIRST_REGISTERED_ID) return null;
    const known = await this.load(id);
    if (!known) return null;
    const isTheirs =
      known.userId === null
        ? known.organizationId === (organizationId === undefined ? await this.organizationOf(userId) : organizationId)
        : known.userId === userId;
    return isTheirs && (await this.mayUse(userId)) ? known.model : null;
  }

  /** @param name as its endpoint knows it, or as people read it, or its id; one's own goes before the organisation's */
  async findNamed(
    userId: number,
    name: string,
    db: Pick<EntityManager, 'query'> = this.dataSource.manager,
  ): Promise<LanguageModel | null> {
    if (!this.registry.hasOwn || !(await this.mayUse(userId))) return null;
    const asked = this.begin();
    const [row] = await db.query<RegisteredRow[]>(
      `SELECT ${ROW_COLUMNS} FROM registered_models m
       WHERE ${USABLE} AND (m.value = $2 OR m.name = $2 OR m.id::text = $2)
       ORDER BY m.user_id IS NULL, m.value <> $2, m.name <> $2, m.position, m.id LIMIT 1`,
      [userId, name],
    );
    return row ? this.remember(row, asked()).model : null;
  }

  /** What the person may use beside what everybody may: their own first. */
  async list(userId: number): Promise<ListedModel[]> {
    if (!this.registry.hasOwn || !(await this.mayUse(userId))) return [];
    const asked = this.begin();
    const rows = await this.dataSource.query<RegisteredRow[]>(
      `SELECT ${ROW_COLUMNS} FROM registered_models m WHERE ${USABLE} ORDER BY m.user_id IS NULL, m.position, m.id`,
      [userId],
    );
    return rows.map((row) =>
      toListed(this.remember(row, asked()).endpoint, row.userId === null ? 'organization' : 'own', row.createdAt),
    );
  }

  private async mayUse(userId: number): Promise<boolean> {
    return !this.rights || this.rights.mayUse(userId);
  }

  private async load(id: number): Promise<Known | null> {
    const known = this.known.get(id);
    if (known && performance.now() - known.readAt < REMEMBERED_MS) return known;
    const asked = this.begin();
    const [row] = await this.dataSource.query<RegisteredRow[]>(
      `SELECT ${ROW_COLUMNS} FROM registered_models m
       WHERE m.id = $1 AND m.enabled AND num_nonnulls(m.user_id, m.organization_id) > 0`,
      [id],
    );
    if (row) return this.remember(row, asked());
    this.known.delete(id);
    return null;
  }

  /** @returns from when the answer to a question that is asked now may be relied upon */
  private begin(): () => number {
    const [readAt, changes] = [performance.now(), this.changes];
    return () => (changes === this.changes ? readAt : -Infinity);
  }

  /** One that did not change keeps what is known of its address. */
  private remember(row: RegisteredRow, readAt: number): Known {
    const before = this.known.get(row.id);
    this.known.delete(row.id);
    const { userId, organizationId, version } = row;
    const served = before?.version === version ? before : this.serve(row);
    const known = { userId, organizationId, version, readAt, endpoint: served.endpoint, model: served.model };
    this.known.set(row.id, known);
    if (this.known.size > MOST_REMEMBERED) this.known.delete(this.known.keys().next().value!);
    return known;
  }

  private serve(row: RegisteredRow): Pick<Known, 'endpoint' | 'model'> {
    const { guard, patience } = this.rules;
    const endpoint = new Endpoint(toDefinition(row, this.sealing, patience), this.ledger.prices, { guard });
    return { endpoint, model: new ServedModel([endpoint], this.ledger, this.budgets) };
  }

  private async organizationOf(userId: number): Promise<number | null> {
    const [row] = await this.dataSource.query<{ organization_id: number | null }[]>(
      'SELECT organization_id FROM users WHERE id = $1',
      [userId],
    );
    return row?.organization_id ?? null;
  }

  /** What is known of its address stays, for the case that it did not change. */
  private forget(id: number): void {
    this.changes += 1;
    const known = this.known.get(id);
    if (known) known.readAt = -Infinity;
  }

  private forgetAll(): void {
    this.changes += 1;
    for (const known of this.known.values()) known.readAt = -Infinity;
  }
}
