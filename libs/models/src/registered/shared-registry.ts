import { LiveBus } from '@app/live';
import { PeriodicTasks } from '@app/queues';
import { SealingService } from '@app/secrets';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Endpoint } from '../calls/endpoint.js';
import { LanguageModels, type SharedModel } from '../language-models.js';
import { UsageLedger } from '../metering/usage-ledger.js';
import { MODEL_RULES, type ModelRules } from './model-rules.js';
import { type RegisteredRow, ROW_COLUMNS, toDefinition } from './registered-row.js';

/** Who missed the push sees a change within 5 s: the pause is longer by a tenth at most. */
const AGAIN_SECONDS = 4;

interface Stamp {
  shared: string;
  hasOwn: boolean;
}

/**
 * Every model has a version that rises, and none takes the number of another: neither an addition, nor a change, nor a removal
 * leaves all three as they were.
 */
const STAMP = `SELECT concat_ws(' ', count(*), max(id), sum(version)) AS shared,
    EXISTS (SELECT FROM registered_models WHERE enabled AND num_nonnulls(user_id, organization_id) > 0) AS "hasOwn"
  FROM registered_models WHERE user_id IS NULL AND organization_id IS NULL`;

/** Keeps the models that staff registered in `LanguageModels` of this process. */
@Injectable()
export class SharedRegistry implements OnModuleInit {
  private readonly logger = new Logger('LanguageModels');
  private readonly endpoints = new Map<number, { version: number; endpoint: Endpoint }>();
  private stamp: Stamp = { shared: '', hasOwn: false };
  private reading: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | null = null;

  constructor(
    private readonly dataSource: DataSource,
    private readonly models: LanguageModels,
    private readonly sealing: SealingService,
    private readonly live: LiveBus,
    private readonly tasks: PeriodicTasks,
    private readonly ledger: UsageLedger,
    @Inject(MODEL_RULES) private readonly rules: ModelRules,
  ) {}

  /** Whether any person or organisation has a model of their own. */
  get hasOwn(): boolean {
    return this.stamp.hasOwn;
  }

  async onModuleInit(): Promise<void> {
    this.live.onGap(() => void this.reload());
    const subscribed = this.live.subscribe('models', () => void this.reload());
    subscribed.catch((error: Error) => this.logger.warn(`Changes of models are not pushed: ${error.message}`));
    this.tasks.every('registered models', AGAIN_SECONDS, () => this.reload());
    await this.reload();
  }

  /** Resolves once what stood in the database at this moment is known here, or could not be read. Never rejects. */
  reload(): Promise<void> {
    if (this.waiting) return this.waiting;
    const next = this.reading.then(() => {
      this.waiting = null;
      return this.read();
    });
    this.waiting = next;
    this.reading = next;
    return next;
  }

  private async read(): Promise<void> {
    try {
      const [stamp] = await this.dataSource.query<[Stamp]>(STAMP);
      const isSame = stamp.shared === this.stamp.shared;
      if (!isSame) await this.readAll();
      this.stamp = stamp;
    } catch (error) {
      this.logger.warn(
        `Registered models could not be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  private async readAll(): Promise<void> {
    const rows = await this.dataSource.query<RegisteredRow[]>(
      `SELECT ${ROW_COLUMNS} FROM registered_models m
       WHERE m.user_id IS NULL AND m.organization_id IS NULL AND m.enabled ORDER BY m.position, m.id`,
    );
    for (const id of this.endpoints.keys()) if (!rows.some((row) => row.id === id)) this.endpoints.delete(id);
    const registered = rows.map((row): SharedModel => ({
      endpoint: this.endpointOf(row),
      isDefault: row.isDefault,
      createdAt: row.createdAt,
    }));
    for (const { id } of rows)
      if (this.rules.configuredIds.has(id))
        this.logger.warn(`The registered model ${id} is passed over: the settings have another of that id.`);
    this.models.useRegistered(registered);
  }

  /** One that did not change keeps what is known of its address. */
  private endpointOf(row: RegisteredRow): Endpoint {
    const known = this.endpoints.get(row.id);
    if (known?.version === row.version) return known.endpoint;
    const endpoint = new Endpoint(toDefinition(row, this.sealing, this.rules.patience), this.ledger.prices);
    this.endpoints.set(row.id, { version: row.version, endpoint });
    return endpoint;
  }
}
