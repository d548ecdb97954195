import { UnavailableError } from '@app/common';
import { LanguageModels, ModelProbes, type ModelProbe } from '@app/models';
import { HealthRegistry, tellSupervisor } from '@app/observability';
import { PeriodicTasks } from '@app/queues';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

const AGAIN_SECONDS = 300;

const hasFailed = ({ status }: ModelProbe) => status === 'failed';

/** Asks the models for a word when the api starts, in the background, and tells operators which do not answer. */
@Injectable()
export class ModelWatch implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('LanguageModels');
  private readonly stopped = new AbortController();

  constructor(
    private readonly probes: ModelProbes,
    private readonly models: LanguageModels,
    private readonly health: HealthRegistry,
    private readonly tasks: PeriodicTasks,
    private readonly isEnabled: boolean,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.isEnabled || this.probes.results.length === 0) return;
    // Of the one that answers where nobody chose. The api is ready without: documents and searches need no model.
    this.health.registerOptional('model', () => this.check());
    this.tasks.every('models that fail', AGAIN_SECONDS, () => this.askAgain());
    void this.watch();
  }

  onModuleDestroy(): void {
    this.stopped.abort();
  }

  private async watch(): Promise<void> {
    const results = await this.probes.run(this.stopped.signal);
    if (this.stopped.signal.aborted) return;
    for (const probe of results) if (probe.status === 'failed') this.logger.warn(complaintOf(probe));
    tellSupervisor('models', {
      models: results.map(({ name, status, code, reason }) => ({ name, status, code, reason })),
    });
  }

  /** Whoever mends a key at the provider need not start the api again. */
  private async askAgain(): Promise<void> {
    const failed = this.probes.results.filter(hasFailed);
    if (failed.length === 0) return;
    const results = await this.probes.run(this.stopped.signal, hasFailed);
    for (const { id, name, status } of results)
      if (status === 'ok' && failed.some((before) => before.id === id))
        this.logger.log(`Model ${id} (${name}) answers again.`);
  }

  private check(): Promise<void> {
    const probe = this.probes.find(this.models.default.descriptor.id);
    if (probe?.status !== 'failed') return Promise.resolve();
    return Promise.reject(new UnavailableError(complaintOf(probe), { code: probe.code ?? 'model_error' }));
  }
}

function complaintOf({ id, name, code, reason }: ModelProbe): string {
  return `Model ${id} (${name}) cannot answer: ${reason} (${code})`;
}
